// ground.ts - fog, cells, grid and trails: all that seldom changes, kept as one picture, a little larger than the view.
//
// Cost     A view that moves by whole pixels only copies another part of the picture, until it leaves it: then the
//          picture is shifted and its rim drawn. When tiles come, the rectangle around them is drawn. Without a graphics
//          card every pixel counts.

import { to_screen, type Camera, type Size } from './camera';
import type { Theme } from './colours';
import { MapLayer } from './map_layer';
import type { MapStore, TilePlace } from './map_store';
import type { State } from './state';
import { draw_trails, type ScreenBox } from './trails';

type Quad = [number, number, number, number];

const MARGIN_PX = 96; // CSS pixels, on each side

export interface Sight {
  state: State;
  camera: Camera;
  size: Size;
  theme: Theme;
  px_ratio: number;
}

export class Ground {
  private front = new_sheet();
  private back = new_sheet();
  private layer: MapLayer | null = null;
  private shown: Camera | null = null; // what the picture shows; null: nothing
  private came: { column_min: number; column_max: number; row_min: number; row_max: number } | null = null;
  private drawn = new Map<number, number>(); // points of each trail
  private trail_versions = 0;

  // Copies the part that is in sight.
  show(target: CanvasRenderingContext2D, { camera, size, px_ratio }: Sight): void {
    const { x, y } = (this.shown && pixel_shift(this.shown, camera, px_ratio)) ?? { x: 0, y: 0 };
    const { width, height } = size;
    const part = [MARGIN_PX - x, MARGIN_PX - y, width, height].map((px) => Math.round(px * px_ratio)) as Quad;
    target.imageSmoothingEnabled = false; // pixel for pixel
    target.drawImage(this.front.canvas, ...part, 0, 0, width, height);
  }

  begin(store: MapStore, theme: Theme): void {
    this.layer = new MapLayer(store, theme);
    this.came = null;
    this.shown = null;
  }

  resize(inner: Size, px_ratio: number): void {
    const size = widened(inner);
    for (const { canvas } of [this.front, this.back]) {
      canvas.width = Math.max(1, Math.round(size.width * px_ratio));
      canvas.height = Math.max(1, Math.round(size.height * px_ratio));
    }
    for (const sheet of [this.front, this.back]) sheet.setTransform(px_ratio, 0, 0, px_ratio, 0, 0);
    this.shown = null;
  }

  set_theme(theme: Theme): void {
    this.layer?.set_theme(theme);
    this.shown = null;
  }

  tiles_came(places: TilePlace[]): void {
    this.layer?.update(places);
    for (const { column, row } of places) {
      const came = (this.came ??= { column_min: column, column_max: column, row_min: row, row_max: row });
      came.column_min = Math.min(came.column_min, column);
      came.column_max = Math.max(came.column_max, column);
      came.row_min = Math.min(came.row_min, row);
      came.row_max = Math.max(came.row_max, row);
    }
  }

  // Brings the picture to where the camera looks. What grows (tiles, trails) may wait for a later call.
  draw(inner: Sight, grow: boolean): void {
    const shift = this.shown && pixel_shift(this.shown, inner.camera, inner.px_ratio);
    const sight = { ...inner, size: widened(inner.size) };
    if (!shift || Math.abs(shift.x) > inner.size.width / 2 || Math.abs(shift.y) > inner.size.height / 2) {
      this.shown = { ...inner.camera };
      this.draw_all(sight);
    } else if (Math.max(Math.abs(shift.x), Math.abs(shift.y)) > MARGIN_PX) {
      this.shown = { ...inner.camera };
      this.shift(sight, shift.x, shift.y);
    }
    if (grow) this.grow({ ...sight, camera: this.shown ?? inner.camera });
  }

  private draw_all(sight: Sight): void {
    this.draw_box(sight, whole_box(sight.size));
    this.came = null;
  }

  private shift(sight: Sight, dx: number, dy: number): void {
    const { width, height } = sight.size;
    [this.front, this.back] = [this.back, this.front];
    this.front.imageSmoothingEnabled = false;
    this.front.drawImage(this.back.canvas, dx, dy, width, height);
    const EDGE = 1;
    if (dx > 0) this.draw_box(sight, { left: 0, top: 0, right: dx + EDGE, bottom: height });
    if (dx < 0) this.draw_box(sight, { left: width + dx - EDGE, top: 0, right: width, bottom: height });
    if (dy > 0) this.draw_box(sight, { left: 0, top: 0, right: width, bottom: dy + EDGE });
    if (dy < 0) this.draw_box(sight, { left: 0, top: height + dy - EDGE, right: width, bottom: height });
  }

  private grow(sight: Sight): void {
    const versions = [...sight.state.trails.values()].reduce((sum, { version }) => sum + version, 0);
    if (versions !== this.trail_versions) {
      this.trail_versions = versions;
      this.drawn.clear();
      this.draw_all(sight);
    }
    const box = this.came && this.layer && this.box_of(sight, this.layer.store);
    this.came = null;
    if (box) this.draw_box(sight, box);
    draw_trails(this.front, sight.state, sight.camera, sight.size, sight.theme, this.drawn, whole_box(sight.size));
  }

  private box_of({ camera, size }: Sight, store: MapStore): ScreenBox | null {
    if (!this.came) return null;
    const { x0, y0, cell, tile } = store.shape;
    const edge = tile * cell;
    const { column_min, column_max, row_min, row_max } = this.came;
    const [left, bottom] = to_screen(camera, size, x0 + column_min * edge, y0 + row_min * edge);
    const [right, top] = to_screen(camera, size, x0 + (column_max + 1) * edge, y0 + (row_max + 1) * edge);
    return { left: Math.floor(left) - 1, top: Math.floor(top) - 1, right: Math.ceil(right) + 1, bottom: Math.ceil(bottom) + 1 };
  }

  private draw_box(sight: Sight, box: ScreenBox): void {
    const { left, top, right, bottom } = box;
    const { state, camera, size, theme, px_ratio } = sight;
    const context = this.front;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    if (this.layer) this.layer.draw(context, camera, size, px_ratio);
    else {
      context.fillStyle = theme.unknown;
      context.fillRect(0, 0, size.width, size.height);
    }
    const whole = left <= 0 && top <= 0 && right >= size.width && bottom >= size.height;
    draw_trails(context, state, camera, size, theme, whole ? this.anew() : new Map(), box);
    context.restore();
  }

  private anew(): Map<number, number> {
    this.drawn.clear();
    return this.drawn;
  }
}

function widened({ width, height }: Size): Size {
  return { width: Math.round(width) + 2 * MARGIN_PX, height: Math.round(height) + 2 * MARGIN_PX };
}

function whole_box({ width, height }: Size): ScreenBox {
  return { left: 0, top: 0, right: width, bottom: height };
}

// By how many CSS pixels the picture moves, if it only moves, and by whole pixels of the screen.
function pixel_shift(before: Camera, after: Camera, px_ratio: number): { x: number; y: number } | null {
  if (before.px_per_m !== after.px_per_m) return null;
  const x = (before.x - after.x) * after.px_per_m * px_ratio;
  const y = (after.y - before.y) * after.px_per_m * px_ratio;
  if (Math.abs(x - Math.round(x)) > 0.01 || Math.abs(y - Math.round(y)) > 0.01) return null;
  return { x: Math.round(x) / px_ratio, y: Math.round(y) / px_ratio };
}

function new_sheet(): CanvasRenderingContext2D {
  return document.createElement('canvas').getContext('2d', { alpha: false })!;
}
