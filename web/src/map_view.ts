// map_view.ts - three canvases above each other: the cells, the trails, the marks. Each is drawn only when it changed.

import { fitted, grown, panned, to_map, to_screen, zoomed, type Box, type Size } from './camera';
import { THEMES } from './colours';
import { by_id } from './dom';
import { MapLayer } from './map_layer';
import { draw_marks, type Hover } from './marks';
import { CHANGED, selected_robot, type Model } from './model';
import type { Point } from './protocol';
import type { TilePlace } from './map_store';
import { TrailLayer } from './trail_layer';

const EMPTY_VIEW_M = 12; // shown around the robots before anything is known

export class MapView {
  size: Size = { width: 100, height: 100 };
  hover: Hover | null = null;
  readonly area = by_id('map');
  private readonly cells = canvas_context('cells');
  private readonly trails = canvas_context('trails');
  private readonly marks = canvas_context('marks');
  private readonly trail_layer = new TrailLayer();
  private map_layer: MapLayer | null = null;
  private px_ratio = 1;

  constructor(
    private readonly model: Model,
    private readonly changed: (what: number) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(this.area);
    this.resize();
  }

  private resize(): void {
    const { width, height } = this.area.getBoundingClientRect();
    this.size = { width, height };
    this.px_ratio = window.devicePixelRatio || 1;
    for (const context of [this.cells, this.trails, this.marks]) {
      context.canvas.width = Math.round(width * this.px_ratio);
      context.canvas.height = Math.round(height * this.px_ratio);
      context.setTransform(this.px_ratio, 0, 0, this.px_ratio, 0, 0);
    }
    this.changed(CHANGED.map | CHANGED.trails | CHANGED.marks);
  }

  // A new map begins: of a new connection.
  begin(): void {
    this.map_layer = this.model.store && new MapLayer(this.model.store, THEMES[this.model.theme]);
    this.camera_moved();
  }

  tiles_came(places: TilePlace[]): void {
    this.map_layer?.update(places);
    this.changed(CHANGED.map);
  }

  theme_changed(): void {
    this.map_layer?.set_theme(THEMES[this.model.theme]);
    this.changed(CHANGED.all);
  }

  draw(what: number, now_ms: number): void {
    what |= this.steer_camera();
    const { camera, theme, state } = this.model;
    if (what & CHANGED.map) {
      if (this.map_layer) this.map_layer.draw(this.cells, camera, this.size, this.px_ratio);
      else this.cells.clearRect(0, 0, this.size.width, this.size.height);
    }
    if (what & (CHANGED.trails | CHANGED.marks))
      this.trail_layer.draw(this.trails, state, camera, this.size, THEMES[theme], (what & CHANGED.trails) !== 0);
    if (what & CHANGED.marks) this.draw_marks(now_ms);
  }

  private draw_marks(now_ms: number): void {
    const { model, size } = this;
    this.marks.clearRect(0, 0, size.width, size.height);
    const hover_map = this.hover && to_map(model.camera, size, this.hover.x_px, this.hover.y_px);
    const sheet = { context: this.marks, camera: model.camera, size, theme: THEMES[model.theme], model, now_ms };
    draw_marks(sheet, this.hover, hover_map);
  }

  // The view follows the chosen robot, or goes on fitting the growing map, until the person moves it.
  private steer_camera(): number {
    const before = this.model.camera;
    const robot = selected_robot(this.model);
    if (this.model.follow && robot) this.model.camera = { ...before, x: robot.x, y: robot.y };
    else if (this.model.fitted && !this.aiming()) this.model.camera = this.fitting_camera();
    const { x, y, px_per_m } = this.model.camera;
    const same = x === before.x && y === before.y && px_per_m === before.px_per_m;
    return same ? 0 : CHANGED.map | CHANGED.trails | CHANGED.marks;
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

  pan(dx_px: number, dy_px: number): void {
    this.model.camera = panned(this.model.camera, dx_px, dy_px);
    this.model.fitted = false;
    this.model.follow = false;
    this.camera_moved();
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

function canvas_context(id: string): CanvasRenderingContext2D {
  const context = by_id<HTMLCanvasElement>(id).getContext('2d');
  if (!context) throw new Error('this browser draws no canvas');
  return context;
}
