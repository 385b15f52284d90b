// trails.ts - where the robots have been, as lines on the ground.

import type { Camera, Size } from './camera';
import { robot_hue, type Theme } from './colours';
import type { Point } from './protocol';
import type { State } from './state';

const STEP_PX = 2; // points that are nearer to the one before are left out

export interface ScreenBox {
  left: number; // CSS pixels
  top: number;
  right: number;
  bottom: number;
}

// Draws what lies in the box of each trail, from the point that `drawn` counts for it, and brings `drawn` up to date.
export function draw_trails(
  context: CanvasRenderingContext2D,
  state: State,
  camera: Camera,
  size: Size,
  theme: Theme,
  drawn: Map<number, number>,
  box: ScreenBox,
): void {
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.globalAlpha = 0.55;
  for (const [id, { points }] of state.trails) {
    const before = drawn.get(id) ?? 0;
    if (before >= points.length) continue;
    drawn.set(id, points.length);
    context.strokeStyle = robot_hue(theme, id);
    context.beginPath();
    trace(context, points, Math.max(0, before - 1), camera, size, box);
    context.stroke();
  }
  context.globalAlpha = 1;
}

function trace(
  context: CanvasRenderingContext2D,
  points: Point[],
  from: number,
  camera: Camera,
  size: Size,
  { left, top, right, bottom }: ScreenBox,
): void {
  let last_x = NaN;
  let last_y = NaN;
  let pen_down = false;
  for (let i = from; i < points.length; i++) {
    const x = size.width / 2 + (points[i]![0] - camera.x) * camera.px_per_m;
    const y = size.height / 2 - (points[i]![1] - camera.y) * camera.px_per_m;
    const near = Math.abs(x - last_x) < STEP_PX && Math.abs(y - last_y) < STEP_PX;
    if (near && i < points.length - 1) continue;
    const aside = (x < left && last_x < left) || (x > right && last_x > right);
    const apart = aside || (y < top && last_y < top) || (y > bottom && last_y > bottom);
    if (!apart && i > from) {
      if (!pen_down) context.moveTo(last_x, last_y);
      context.lineTo(x, y);
    }
    pen_down = !apart && i > from;
    last_x = x;
    last_y = y;
  }
}
