// commands.ts - what the person does, by mouse or by key: one function each. They change the model and tell the station.

import type { Connection } from './connection';
import { send_hint } from './marks';
import { CHANGED, robot_name, selected_robot, type Model } from './model';
import type { Action, Point, Robot } from './protocol';
import { sorted_robots } from './state';

const NOTICE_MS = 4000;
const NO_ANSWER_MS = 6000;
const ARRIVED_AT_M = 1.5; // a task with a goal so near to the place clicked is the answer to the click

export class Commands {
  constructor(
    private readonly model: Model,
    private readonly connection: () => Connection | null,
    private readonly changed: (what: number) => void,
  ) {}

  notice(text: string, level: 'info' | 'warn' = 'info'): void {
    this.model.notice = { text, level, until_ms: performance.now() + NOTICE_MS };
    this.changed(CHANGED.text);
  }

  // True when it was sent; says so when it was not.
  tell(action: Action): boolean {
    const sent = this.connection()?.send(action) ?? false;
    if (!sent && action.do !== 'drive' && action.do !== 'override') this.notice('Not sent: no connection to the station', 'warn');
    return sent;
  }

  select(id: number | null): void {
    this.model.selected = id;
    if (id === null) this.model.follow = false;
    this.look_at_followed();
    this.changed(CHANGED.all);
  }

  // By the order of the roster, from 0.
  select_nth(nth: number): void {
    const robot = sorted_robots(this.model.state)[nth];
    if (robot) this.select(robot.id);
  }

  select_next(step: 1 | -1): void {
    const ids = sorted_robots(this.model.state).map(({ id }) => id);
    if (ids.length === 0) return;
    const at = ids.indexOf(this.model.selected ?? -1);
    const next = at < 0 ? (step > 0 ? 0 : ids.length - 1) : (at + step + ids.length) % ids.length;
    this.select(ids[next]!);
  }

  toggle_follow(): void {
    if (this.model.selected === null) return this.notice('Select a robot to follow');
    this.model.follow = !this.model.follow;
    this.look_at_followed();
    this.changed(CHANGED.all);
  }

  // At once: keys that come before the next frame count from there.
  private look_at_followed(): void {
    const robot = selected_robot(this.model);
    if (this.model.follow && robot) this.model.camera = { ...this.model.camera, x: robot.x, y: robot.y };
  }

  mode(mode: string): void {
    this.with_robot((robot) => {
      if (robot.stop.wanted) return this.notice(`${robot.id} is stopped: release it first`, 'warn');
      this.tell({ do: 'mode', robot: robot.id, mode });
    });
  }

  home(): void {
    this.with_robot((robot) => {
      if (robot.stop.wanted) return this.notice(`${robot.id} is stopped: release it first`, 'warn');
      this.tell({ do: 'home', robot: robot.id });
    });
  }

  go([x, y]: Point): void {
    this.with_robot((robot) => {
      const hint = send_hint(this.model, robot, [x, y]);
      if (hint.refused) return this.notice(`Not sent: ${hint.text}`, 'warn');
      if (!this.tell({ do: 'go', robot: robot.id, x: centimetres(x), y: centimetres(y) })) return;
      this.model.sending = { robot: robot.id, x, y, at_ms: performance.now(), task_before: robot.task?.id ?? null };
      this.changed(CHANGED.map);
    });
  }

  stop_all(): void {
    this.model.stop_wish.ask();
    this.step_stop(performance.now());
    this.changed(CHANGED.all);
  }

  // Sends the stop that was asked for, at once and then until the station shows it.
  step_stop(now_ms: number): void {
    const stop = this.model.stop_wish.step(this.model.state, this.model.connected, now_ms);
    if (stop) this.connection()?.send(stop);
  }

  stop_selected(): void {
    this.with_robot((robot) => this.tell({ do: 'stop', robot: robot.id }));
  }

  release_all(): void {
    if (this.tell({ do: 'release' })) this.notice('Release sent. Released robots stay idle until told otherwise');
  }

  release_selected(): void {
    this.with_robot((robot) => {
      if (this.tell({ do: 'release', robot: robot.id }))
        this.notice(`Release sent to ${robot_name(this.model, robot.id)}. It stays idle until told otherwise`);
    });
  }

  // Called with each change of the state: the click is answered when the task is there, or when the time is over.
  settle_sending(now_ms: number): void {
    const { sending } = this.model;
    if (!sending) return;
    const task = this.model.state.robots.get(sending.robot)?.task;
    const near = task?.goal && Math.hypot(task.goal[0] - sending.x, task.goal[1] - sending.y) < ARRIVED_AT_M;
    const answered = task && task.id !== sending.task_before && (near || task.purpose === 'go');
    if (!answered && now_ms - sending.at_ms < NO_ANSWER_MS) return;
    if (!answered) this.notice(`No task came of sending ${sending.robot}: see the events`, 'warn');
    this.model.sending = null;
    this.changed(CHANGED.map);
  }

  private with_robot(act: (robot: Robot) => void): void {
    const robot = selected_robot(this.model);
    if (robot) act(robot);
    else this.notice('Select a robot first: click it, or keys 1 to 9');
  }
}

function centimetres(value: number): number {
  return Math.round(value * 100) / 100;
}
