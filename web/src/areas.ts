// areas.ts - where robots may be: what a place is closed by, and how areas look on the map.

import { to_screen, type Camera, type Size } from './camera';
import type { Theme } from './colours';
import type { Area, Point } from './protocol';

const HATCH_APART_PX = 12;

export function holds(corners: Point[], [x, y]: Point): boolean {
  let inside = false;
  corners.forEach(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % corners.length]!;
    if (ay <= y !== by <= y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}

// Why no robot may be at a place; empty: it may.
export function closed_words(areas: Area[], at: Point): string {
  const out = areas.find(({ kind, corners }) => kind === 'keep_out' && holds(corners, at));
  if (out) return `kept out of: ${out.name}`;
  const kept_in = areas.filter(({ kind }) => kind === 'keep_in');
  return kept_in.length === 0 || kept_in.some(({ corners }) => holds(corners, at)) ? '' : 'outside where robots may be';
}

interface Sheet {
  context: CanvasRenderingContext2D;
  camera: Camera;
  size: Size;
  theme: Theme;
}

// Below everything that moves: to keep out of, hatched with a red border; to keep in, a broken outline.
export function draw_area(sheet: Sheet, area: Area): void {
  const { context, theme } = sheet;
  const corners = area.corners.map(([x, y]) => to_screen(sheet.camera, sheet.size, x, y));
  const out = area.kind === 'keep_out';
  context.save();
  context.beginPath();
  corners.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
  context.lineJoin = 'round';
  context.lineWidth = 2.5;
  context.strokeStyle = out ? theme.red : theme.text;
  context.globalAlpha = out ? 1 : 0.75;
  context.setLineDash(out ? [] : [10, 6]);
  context.stroke();
  if (out) hatch(sheet, corners);
  context.restore();
}

// Within the path that is set.
function hatch({ context, theme, size }: Sheet, corners: Point[]): void {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const [left, right] = [Math.max(0, Math.min(...xs)), Math.min(size.width, Math.max(...xs))];
  const [top, bottom] = [Math.max(0, Math.min(...ys)), Math.min(size.height, Math.max(...ys))];
  context.clip();
  context.globalAlpha = 0.12;
  context.fillStyle = theme.red;
  context.fillRect(left, top, right - left, bottom - top);
  context.globalAlpha = 0.55;
  context.lineWidth = 1.25;
  context.beginPath();
  for (let at = Math.floor((left + top) / HATCH_APART_PX) * HATCH_APART_PX; at < right + bottom; at += HATCH_APART_PX) {
    context.moveTo(at - top, top);
    context.lineTo(at - bottom, bottom);
  }
  context.stroke();
}

const NAME_PX = 24; // with room around it

// Where its name stands: above the top edge, or below it where that is out of sight.
export function name_place({ camera, size }: Sheet, area: Area): Point | null {
  const corners = area.corners.map(([x, y]) => to_screen(camera, size, x, y));
  const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value));
  const [left, right] = [Math.min(...corners.map(([x]) => x)), Math.max(...corners.map(([x]) => x))];
  const [top, bottom] = [Math.min(...corners.map(([, y]) => y)), Math.max(...corners.map(([, y]) => y))];
  if (right < 0 || bottom < 0 || left > size.width || top > size.height) return null;
  return [(clamp(left, size.width) + clamp(right, size.width)) / 2, top > NAME_PX ? top - NAME_PX / 2 : clamp(top, size.height) + 13];
}
