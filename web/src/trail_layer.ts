// trail_layer.ts - where the robots have been. While the view stands still only the new pieces are drawn.

import { to_screen, type Camera, type Size } from './camera';
import { robot_hue, type Theme } from './colours';
import type { Point } from './protocol';
import type { State, Trail } from './state';

const STEP_PX = 2; // points that are nearer to the one before are left out

interface Drawn {
  trail: Trail;
  version: number;
  count: number; // points that are on the canvas
}

export class TrailLayer {
  private drawn = new Map<number, Drawn>();

  draw(context: CanvasRenderingContext2D, state: State, camera: Camera, size: Size, theme: Theme, anew: boolean): void {
    if (anew || this.taken_away(state)) {
      context.clearRect(0, 0, size.width, size.height);
      this.drawn.clear();
    }
    context.lineWidth = 1.5;
    context.lineJoin = 'round';
    context.globalAlpha = 0.55;
    for (const [id, trail] of state.trails) this.draw_new(context, id, trail, camera, size, theme);
    context.globalAlpha = 1;
  }

  private taken_away(state: State): boolean {
    for (const [id, { trail, version }] of this.drawn)
      if (state.trails.get(id) !== trail || trail.version !== version) return true;
    return false;
  }

  private draw_new(
    context: CanvasRenderingContext2D,
    id: number,
    trail: Trail,
    camera: Camera,
    size: Size,
    theme: Theme,
  ): void {
    const before = this.drawn.get(id)?.count ?? 0;
    if (before === trail.points.length) return;
    this.drawn.set(id, { trail, version: trail.version, count: trail.points.length });
    context.strokeStyle = robot_hue(theme, id);
    context.beginPath();
    trace(context, trail.points, Math.max(0, before - 1), camera, size);
    context.stroke();
  }
}

function trace(context: CanvasRenderingContext2D, points: Point[], from: number, camera: Camera, size: Size): void {
  let last_x = Infinity;
  let last_y = Infinity;
  for (let i = from; i < points.length; i++) {
    const [x, y] = to_screen(camera, size, points[i]![0], points[i]![1]);
    const near = Math.abs(x - last_x) < STEP_PX && Math.abs(y - last_y) < STEP_PX;
    if (near && i < points.length - 1) continue;
    if (i === from) context.moveTo(x, y);
    else context.lineTo(x, y);
    last_x = x;
    last_y = y;
  }
}
