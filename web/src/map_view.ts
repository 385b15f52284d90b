// map_view.ts - the map's canvas: the ground, kept as a picture, and the marks above it; and where the camera looks.

import { fitted, grown, panned, snapped, to_map, to_screen, zoomed, type Box, type Size } from './camera';
import { THEMES } from './colours';
import { by_id } from './dom';
import { Ground } from './ground';
import { draw_marks, type Hover } from './marks';
import { CHANGED, selected_robot, type Model } from './model';
import type { Point } from './protocol';
import type { TilePlace } from './map_store';

const GROUND_MS = 300; // the ground and the trails grow slower than the robots move
const EMPTY_VIEW_M = 12; // shown around the robots before anything is known

export class MapView {
  size: Size = { width: 100, height: 100 };
  hover: Hover | null = null;
  readonly area = by_id('map');
  private readonly picture = opaque_context('picture');
  private readonly ground = new Ground();
  private px_ratio = 1;
  private ground_at_ms = 0;
  private later = 0;

  constructor(
    private readonly model: Model,
    private readonly changed: (what: number) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(this.area);
    this.resize();
  }

  private resize(): void {
    const { width, height } = this.area.getBoundingClientRect();
    this.size = { width: Math.round(width), height: Math.round(height) };
    this.px_ratio = window.devicePixelRatio || 1;
    this.picture.canvas.width = Math.max(1, Math.round(width * this.px_ratio));
    this.picture.canvas.height = Math.max(1, Math.round(height * this.px_ratio));
    this.picture.setTransform(this.px_ratio, 0, 0, this.px_ratio, 0, 0);
    this.ground.resize(this.size, this.px_ratio);
    this.changed(CHANGED.map);
  }

  // A new map begins: of a new connection.
  begin(): void {
    if (this.model.store) this.ground.begin(this.model.store, THEMES[this.model.theme]);
    this.changed(CHANGED.all);
  }

  tiles_came(places: TilePlace[]): void {
    this.ground.tiles_came(places);
    this.changed(CHANGED.map);
  }

  theme_changed(): void {
    this.ground.set_theme(THEMES[this.model.theme]);
    this.changed(CHANGED.all);
  }

  draw(now_ms: number): void {
    this.steer_camera();
    const { state, camera, theme } = this.model;
    const grow = now_ms >= this.ground_at_ms;
    const sight = { state, camera, size: this.size, theme: THEMES[theme], px_ratio: this.px_ratio };
    this.ground.draw(sight, grow);
    if (grow) this.ground_at_ms = now_ms + GROUND_MS;
    else this.draw_later();
    this.ground.show(this.picture, sight);
    this.draw_marks(now_ms);
  }

  // So that the last tiles before a silence are drawn too.
  private draw_later(): void {
    clearTimeout(this.later);
    this.later = window.setTimeout(() => this.changed(CHANGED.map), GROUND_MS);
  }

  private draw_marks(now_ms: number): void {
    const { model, size } = this;
    const hover_map = this.hover && to_map(model.camera, size, this.hover.x_px, this.hover.y_px);
    const sheet = { context: this.picture, camera: model.camera, size, theme: THEMES[model.theme], model, now_ms };
    draw_marks(sheet, this.hover, hover_map);
  }

  // The view follows the chosen robot, or goes on fitting the growing map, until the person moves it.
  private steer_camera(): void {
    const robot = selected_robot(this.model);
    if (this.model.follow && robot) this.model.camera = snapped(this.model.camera, robot.x, robot.y, this.px_ratio);
    else if (this.model.fitted && !this.aiming()) this.model.camera = this.fitting_camera();
  }

  // The map does not move under a pointer that is about to send somebody.
  private aiming(): boolean {
    return this.hover !== null && this.model.selected !== null;
  }

  // Small growth does not move the view: it jumps seldom and leaves room.
  private fitting_camera() {
    const box = this.whole_box();
    if (!box) return this.model.camera;
    const [left, top] = to_screen(this.model.camera, this.size, box.x_min, box.y_max);
    const [right, bottom] = to_screen(this.model.camera, this.size, box.x_max, box.y_min);
    const spill = left < 20 || top < 20 || right > this.size.width - 20 || bottom > this.size.height - 20;
    const part = Math.max((right - left) / this.size.width, (bottom - top) / this.size.height);
    return spill || part < 0.4 ? fitted(box, this.size) : this.model.camera;
  }

  private whole_box(): Box | null {
    let box = this.model.store?.known_box() ?? null;
    const radius = box ? 1 : EMPTY_VIEW_M / 2;
    for (const robot of this.model.state.robots.values()) box = grown(box, robot.x, robot.y, radius);
    for (const victim of this.model.state.victims.values()) box = grown(box, victim.x, victim.y, 1);
    return box;
  }

  fit(): void {
    const box = this.whole_box();
    if (box) this.model.camera = fitted(box, this.size);
    this.model.fitted = true;
    this.model.follow = false;
    this.camera_moved();
  }

  centre(x: number, y: number): void {
    this.model.camera = { ...this.model.camera, x, y, px_per_m: Math.max(this.model.camera.px_per_m, 15) };
    this.model.fitted = false;
    this.model.follow = false;
    this.camera_moved();
  }

  // Moves the map by so much from where it was when `from` was the camera.
  pan(dx_px: number, dy_px: number, from = this.model.camera): void {
    const { x, y } = panned(from, dx_px, dy_px);
    this.model.camera = snapped(this.model.camera, x, y, this.px_ratio);
    this.model.fitted = false;
    this.model.follow = false;
    this.changed(CHANGED.map);
  }

  zoom(factor: number, at: Hover = { x_px: this.size.width / 2, y_px: this.size.height / 2 }): void {
    this.model.camera = zoomed(this.model.camera, this.size, factor, at.x_px, at.y_px);
    this.model.fitted = false;
    this.camera_moved();
  }

  to_map(x_px: number, y_px: number): Point {
    return to_map(this.model.camera, this.size, x_px, y_px);
  }

  // In pixels of the window.
  to_window(x: number, y: number): Point {
    const { left, top } = this.area.getBoundingClientRect();
    const [px, py] = to_screen(this.model.camera, this.size, x, y);
    return [left + px, top + py];
  }

  private camera_moved(): void {
    this.changed(CHANGED.all);
  }
}

function opaque_context(id: string): CanvasRenderingContext2D {
  const context = by_id<HTMLCanvasElement>(id).getContext('2d', { alpha: false });
  if (!context) throw new Error('this browser draws no canvas');
  return context;
}
