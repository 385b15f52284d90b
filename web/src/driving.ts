// driving.ts - keys and gamepads, read 20 times a second while somebody may drive; drive.ts decides what is sent.
//
// The dead-man is Shift, or a shoulder button. A page that is not looked at does not drive.

import type { Commands } from './commands';
import { DRIVE_CODES, Driver, moved, STEP_MS, stick_from_axes, stick_from_keys, type Stick } from './drive';
import { CHANGED, is_stale, mode_name, selected_robot, type Model } from './model';

const SHOULDERS = [4, 5, 6, 7];
const STICK_MODES = new Set(['teleoperated', 'assisted left', 'assisted right']);
const STRENGTH_STEP = 0.25;

export class Driving {
  private readonly driver = new Driver();
  private readonly held = new Set<string>();
  private shift = false;

  constructor(
    private readonly model: Model,
    private readonly commands: Commands,
    private readonly changed: (what: number) => void,
  ) {
    window.setInterval(() => this.step(), STEP_MS);
    window.addEventListener('blur', () => this.let_go());
    document.addEventListener('visibilitychange', () => this.let_go());
  }

  // True when the key belongs to driving, and means nothing else.
  key_down(event: KeyboardEvent): boolean {
    if (event.key === 'Shift') this.shift = true;
    if (!event.shiftKey || !DRIVE_CODES.has(event.code)) return this.held.has(event.code);
    this.held.add(event.code);
    return true;
  }

  key_up(event: KeyboardEvent): void {
    this.held.delete(event.code);
    if (event.key !== 'Shift') return;
    this.shift = false;
    this.step();
  }

  stronger(sign: 1 | -1): void {
    const { drive } = this.model;
    drive.strength = Math.min(1, Math.max(STRENGTH_STEP, drive.strength + sign * STRENGTH_STEP));
    this.changed(CHANGED.text);
  }

  private let_go(): void {
    this.held.clear();
    this.shift = false;
    this.step();
  }

  private step(): void {
    const robot = selected_robot(this.model);
    const pad = this.read_gamepad();
    const keys = stick_from_keys(this.held, this.model.drive.strength);
    const here = document.visibilityState === 'visible' && document.hasFocus();
    const actions = this.driver.step({
      robot: robot?.id ?? null,
      dead_man: here && (this.shift || pad.dead_man),
      stick: this.shift && moved(keys) ? keys : pad.dead_man ? pad.stick : { forward: 0, turn: 0 },
      heard: this.model.connected && !is_stale(this.model, performance.now()),
      stopped: robot?.stop.wanted ?? false,
      obeys_stick: robot !== null && STICK_MODES.has(mode_name(this.model, robot.mode)),
      shown: this.model.state.t,
    });
    for (const action of actions) this.commands.tell(action);
    this.show();
  }

  private show(): void {
    const { drive } = this.model;
    const { state, sent } = this.driver;
    if (drive.state === state && drive.sent.forward === sent.forward && drive.sent.turn === sent.turn) return;
    drive.state = state;
    drive.sent = sent;
    this.changed(CHANGED.text);
  }

  private read_gamepad(): { dead_man: boolean; stick: Stick } {
    const pad = navigator.getGamepads?.().find((each) => each?.connected) ?? null;
    const name = pad?.id ?? null;
    if (this.model.drive.gamepad !== name) {
      this.model.drive.gamepad = name;
      this.changed(CHANGED.text);
    }
    if (!pad) return { dead_man: false, stick: { forward: 0, turn: 0 } };
    const dead_man = SHOULDERS.some((button) => pad.buttons[button]?.pressed);
    return { dead_man, stick: stick_from_axes(pad.axes[0] ?? 0, pad.axes[1] ?? 0, this.model.drive.strength) };
  }
}
