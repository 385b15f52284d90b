// hold_button.ts - a button that must be held down, by mouse or by Enter, before it acts. It shows how far it is.

import { set_property } from './dom';
import { Hold } from './stop';

export class HoldButton {
  private readonly hold = new Hold();
  private frame = 0;

  constructor(
    readonly button: HTMLButtonElement,
    private readonly act: () => void,
  ) {
    button.addEventListener('pointerdown', (event) => event.button === 0 && this.press());
    for (const name of ['pointerup', 'pointerleave', 'pointercancel', 'blur'] as const)
      button.addEventListener(name, () => this.let_go());
    button.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.press();
    });
    button.addEventListener('keyup', (event) => event.key === 'Enter' && this.let_go());
  }

  press(): void {
    if (this.button.disabled || this.hold.held) return;
    this.hold.press(performance.now());
    this.step();
  }

  let_go(): void {
    this.hold.let_go();
    cancelAnimationFrame(this.frame);
    set_property(this.button, '--held', '0');
  }

  private readonly step = (): void => {
    const now = performance.now();
    set_property(this.button, '--held', this.hold.progress(now).toFixed(3));
    if (this.hold.due(now)) this.act();
    else if (this.hold.held) this.frame = requestAnimationFrame(this.step);
  };
}
