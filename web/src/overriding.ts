// overriding.ts - the buttons that switch guards of the chosen robot off while they are held, by pointer or by Enter;
// override.ts decides what is sent. A page that is not looked at holds nothing.

import type { Commands } from './commands';
import { by_id, element, set_class, set_hidden, set_text } from './dom';
import { STEP_MS } from './drive';
import { CHANGED, is_stale, selected_robot, type Model } from './model';
import { Overrider } from './override';
import type { Robot } from './protocol';

interface GuardButton {
  root: HTMLButtonElement;
  title: HTMLElement;
  note: HTMLElement;
}

export class Overriding {
  private readonly overrider = new Overrider();
  private readonly root = by_id('panel-overrides');
  private readonly buttons = new Map<string, GuardButton>();
  private pressed: string | null = null; // guard whose button is down
  private pressed_of: number | null = null; // robot that was selected then

  constructor(
    private readonly model: Model,
    private readonly commands: Commands,
    private readonly changed: (what: number) => void,
  ) {
    window.setInterval(() => this.step(), STEP_MS);
    for (const name of ['pointerup', 'pointercancel', 'blur'] as const) window.addEventListener(name, () => this.let_go());
    document.addEventListener('visibilitychange', () => this.let_go());
  }

  render(): void {
    const robot = selected_robot(this.model);
    const guards = robot ? this.shown_guards(robot) : [];
    for (const [guard, button] of this.buttons) {
      if (guards.includes(guard)) continue;
      button.root.remove();
      this.buttons.delete(guard);
    }
    for (const guard of guards) this.fill(guard, robot!);
    set_hidden(this.root, guards.length === 0);
  }

  // Those that act, or would, and may be switched off; the one that is held stays while it is.
  private shown_guards(robot: Robot): string[] {
    const may = new Set(this.model.state.hello?.overridable ?? []);
    if (robot.overridden === null) return [];
    const acting = [...robot.guards, ...robot.overridden, ...(this.pressed && this.pressed_of === robot.id ? [this.pressed] : [])];
    return [...new Set(acting)].filter((guard) => may.has(guard));
  }

  private fill(guard: string, robot: Robot): void {
    let button = this.buttons.get(guard);
    if (!button) {
      this.buttons.set(guard, (button = this.make(guard)));
      this.root.append(button.root);
    }
    const held = this.overrider.guard === guard;
    const left = Math.max(0, Math.ceil(this.overrider.left_s(this.times())));
    button.root.disabled = robot.stop.wanted;
    set_class(button.root, 'held', held);
    set_text(button.title, held ? `${guard.toUpperCase()} overridden: ${left} s left` : `Hold to override ${guard.toUpperCase()}`);
    set_text(button.note, held ? 'only creeps; let go to guard again' : `only creeps; ${this.seconds_max()} s at most`);
  }

  private make(guard: string): GuardButton {
    const title = element('span');
    const note = element('small');
    const root = element('button', 'hold override', title, note);
    root.type = 'button';
    root.dataset['guard'] = guard;
    root.addEventListener('pointerdown', (event) => event.button === 0 && this.press(guard));
    for (const name of ['pointerleave', 'blur'] as const) root.addEventListener(name, () => this.let_go(guard));
    root.addEventListener('contextmenu', (event) => event.preventDefault()); // a long press on a tablet
    root.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      if (!event.repeat) this.press(guard);
    });
    root.addEventListener('keyup', (event) => event.key === 'Enter' && this.let_go(guard));
    return { root, title, note };
  }

  private press(guard: string): void {
    this.pressed = guard;
    this.pressed_of = this.model.selected;
    this.step();
  }

  private let_go(guard = this.pressed): void {
    if (this.pressed === null || guard !== this.pressed) return;
    this.pressed = this.pressed_of = null;
    this.step();
  }

  private seconds_max(): number {
    return this.model.state.hello?.override_s ?? 0;
  }

  private times(): { seconds_max: number; now_ms: number } {
    return { seconds_max: this.seconds_max(), now_ms: performance.now() };
  }

  private step(): void {
    const robot = selected_robot(this.model);
    if (this.pressed !== null && this.pressed_of !== robot?.id) this.pressed = this.pressed_of = null;
    const here = document.visibilityState === 'visible' && document.hasFocus();
    const before = this.overrider.guard;
    const actions = this.overrider.step({
      robot: robot?.id ?? null,
      guard: here ? this.pressed : null,
      heard: this.model.connected && !is_stale(this.model, performance.now()),
      stopped: robot?.stop.wanted ?? false,
      shown: this.model.state.t,
      ...this.times(),
    });
    for (const action of actions) this.commands.tell(action);
    if (this.overrider.guard !== before) this.changed(CHANGED.all);
    else if (before !== null) this.changed(CHANGED.text);
  }
}
