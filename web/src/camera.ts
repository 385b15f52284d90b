// camera.ts - which part of the map is on the screen. Pure.
//
// Frames   map: metres, y north. Screen: CSS pixels from the upper left corner of the map's area, y down.

import type { Point } from './protocol';

export interface Camera {
  x: number; // map point in the middle of the area
  y: number;
  px_per_m: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Box {
  x_min: number;
  y_min: number;
  x_max: number;
  y_max: number;
}

export const SCALE_MIN = 0.5;
export const SCALE_MAX = 400;

export function to_screen(camera: Camera, size: Size, x: number, y: number): Point {
  return [size.width / 2 + (x - camera.x) * camera.px_per_m, size.height / 2 - (y - camera.y) * camera.px_per_m];
}

export function to_map(camera: Camera, size: Size, px: number, py: number): Point {
  return [camera.x + (px - size.width / 2) / camera.px_per_m, camera.y - (py - size.height / 2) / camera.px_per_m];
}

export function panned(camera: Camera, dx_px: number, dy_px: number): Camera {
  return { ...camera, x: camera.x - dx_px / camera.px_per_m, y: camera.y + dy_px / camera.px_per_m };
}

// The map point under the screen point stays there.
export function zoomed(camera: Camera, size: Size, factor: number, px: number, py: number): Camera {
  const px_per_m = Math.min(SCALE_MAX, Math.max(SCALE_MIN, camera.px_per_m * factor));
  const [x, y] = to_map(camera, size, px, py);
  const ratio = camera.px_per_m / px_per_m;
  return { x: x + (camera.x - x) * ratio, y: y + (camera.y - y) * ratio, px_per_m };
}

// Shows the whole box with a margin; never closer than FIT_MAX, so that the first metre does not fill the screen.
export function fitted(box: Box, size: Size): Camera {
  const MARGIN_PX = 48;
  const FIT_MAX = 40;
  const width_m = Math.max(1, box.x_max - box.x_min);
  const height_m = Math.max(1, box.y_max - box.y_min);
  const room_x = Math.max(50, size.width - 2 * MARGIN_PX);
  const room_y = Math.max(50, size.height - 2 * MARGIN_PX);
  const px_per_m = Math.min(FIT_MAX, Math.max(SCALE_MIN, Math.min(room_x / width_m, room_y / height_m)));
  return { x: (box.x_min + box.x_max) / 2, y: (box.y_min + box.y_max) / 2, px_per_m };
}

export function grown(box: Box | null, x: number, y: number, radius: number): Box {
  if (!box) return { x_min: x - radius, y_min: y - radius, x_max: x + radius, y_max: y + radius };
  return {
    x_min: Math.min(box.x_min, x - radius),
    y_min: Math.min(box.y_min, y - radius),
    x_max: Math.max(box.x_max, x + radius),
    y_max: Math.max(box.y_max, y + radius),
  };
}

// The longest of 1, 2, 5, 10, … metres that is at most so many pixels long.
export function round_length_m(px_per_m: number, px_max: number): number {
  const limit = px_max / px_per_m;
  const power = 10 ** Math.floor(Math.log10(limit));
  for (const step of [5, 2]) if (step * power <= limit) return step * power;
  return power;
}

// The camera nearest to the wanted place from which the picture differs by whole pixels only, so that it can be shifted.
export function snapped(before: Camera, x: number, y: number, px_ratio: number): Camera {
  const px_per_m = before.px_per_m * px_ratio;
  const whole = (from: number, to: number) => from + Math.round((to - from) * px_per_m) / px_per_m;
  return { x: whole(before.x, x), y: whole(before.y, y), px_per_m: before.px_per_m };
}
