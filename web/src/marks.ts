// marks.ts - what stands on the map: plans, goals, victims, robots, and where the chosen one would be sent.

import { closed_words, draw_area, name_place } from './areas';
import { to_screen, type Camera, type Size } from './camera';
import { robot_filled, robot_hue, type Theme } from './colours';
import { OBSTACLE, UNKNOWN } from './map_store';
import { mode_name, robot_name, robot_shape, selected_robot, type Model } from './model';
import type { Area, Point, Robot, RobotShape, Task, Victim } from './protocol';
import { freshness, picture_age_s, sorted_robots } from './state';
import { age_words, mode_glyph } from './words';

export const FONT = '"Inter", "Segoe UI", "Roboto", "Helvetica Neue", "Liberation Sans", "Arial", sans-serif';
const TAG_FONT = `600 12px ${FONT}`;
const ROBOT_PX_MIN = 24; // length of a symbol that would be smaller to scale
const ROBOT_HIT_PX = 18;
const EDGE_PX = 16;
const DASH: readonly number[] = [6, 5];
const PLACE_IN_DOUBT = 'place in doubt'; // among the guards: robot/guard_names.c

export interface Hover {
  x_px: number;
  y_px: number;
}

interface Sheet {
  context: CanvasRenderingContext2D;
  camera: Camera;
  size: Size;
  theme: Theme;
  model: Model;
  now_ms: number;
}

export function draw_marks(sheet: Sheet, hover: Hover | null, hover_map: Point | null): void {
  const { model } = sheet;
  const robots = drawing_order(model);
  for (const area of model.state.areas) draw_area(sheet, area);
  for (const area of model.state.areas) draw_area_name(sheet, area);
  for (const robot of robots) if (robot.task) draw_plan(sheet, robot, robot.task);
  draw_sending(sheet);
  for (const victim of model.state.victims.values()) draw_victim(sheet, victim);
  for (const robot of robots) draw_robot(sheet, robot);
  for (const robot of robots) draw_label(sheet, robot);
  if (hover && hover_map && model.drive.state === 'off') draw_ghost(sheet, hover, hover_map);
}

function draw_area_name(sheet: Sheet, area: Area): void {
  const at = name_place(sheet, area);
  const words = `${area.kind === 'keep_out' ? 'keep out' : 'keep in'}: ${area.name}`;
  if (at) draw_tag(sheet, words, at[0], at[1], sheet.theme.text, 'center');
}

// Lost ones below, the chosen one on top.
function drawing_order(model: Model): Robot[] {
  const rank = (robot: Robot) => (robot.id === model.selected ? 2 : robot.lost ? 0 : 1);
  return sorted_robots(model.state).sort((a, b) => rank(a) - rank(b));
}

// The robot whose symbol is under the pointer, or whose mark at the rim; of two at one place, the one that is seen.
export function robot_at(model: Model, size: Size, x_px: number, y_px: number): number | null {
  let best: number | null = null;
  let nearest = Infinity;
  for (const robot of drawing_order(model)) {
    const { at, off } = robot_place(model.camera, size, robot);
    const away = Math.hypot(at[0] - x_px, at[1] - y_px);
    const half = off ? 0 : half_length(model.camera, robot_shape(model, robot.id));
    if (away < Math.max(ROBOT_HIT_PX, half + 6) && away <= nearest) [best, nearest] = [robot.id, away];
  }
  return best;
}

// Where a robot is drawn: where it is, or at the rim when that is out of sight.
function robot_place(camera: Camera, { width, height }: Size, robot: Robot): { is: Point; at: Point; off: boolean } {
  const is = to_screen(camera, { width, height }, robot.x, robot.y);
  const [x, y] = is;
  const off = x < 0 || y < 0 || x > width || y > height;
  const rim = (value: number, length: number) => Math.min(length - EDGE_PX, Math.max(EDGE_PX, value));
  return { is, at: off ? [rim(x, width), rim(y, height)] : is, off };
}

function screen(sheet: Sheet, point: Point): Point {
  return to_screen(sheet.camera, sheet.size, point[0], point[1]);
}

function draw_plan(sheet: Sheet, robot: Robot, task: Task): void {
  if (task.state !== 'under way' && task.state !== 'blocked') return;
  const { context, theme, model } = sheet;
  const chosen = robot.id === model.selected;
  context.strokeStyle = robot_hue(theme, robot.id);
  context.lineWidth = chosen ? 3 : 1.75;
  context.globalAlpha = chosen ? 1 : 0.8;
  context.lineJoin = 'round';
  context.beginPath();
  context.moveTo(...screen(sheet, [robot.x, robot.y]));
  for (const point of task.way) context.lineTo(...screen(sheet, point));
  if (task.goal && task.way.length === 0) context.lineTo(...screen(sheet, task.goal));
  context.stroke();
  if (task.goal) draw_goal(sheet, robot.id, task.goal, chosen);
  if (task.target && task.goal) draw_target(sheet, task.goal, task.target);
  context.globalAlpha = 1;
}

function draw_goal({ context, theme, camera, size }: Sheet, id: number, goal: Point, chosen: boolean): void {
  const [x, y] = to_screen(camera, size, goal[0], goal[1]);
  context.beginPath();
  context.arc(x, y, chosen ? 8 : 6, 0, 2 * Math.PI);
  context.fillStyle = theme.text_back;
  context.fill();
  context.stroke();
  context.beginPath();
  context.arc(x, y, 2, 0, 2 * Math.PI);
  context.fillStyle = robot_hue(theme, id);
  context.fill();
}

// What the robot goes there for: the edge of the unknown, or the place to look at.
function draw_target(sheet: Sheet, goal: Point, target: Point): void {
  const { context } = sheet;
  const [x, y] = screen(sheet, target);
  const [gx, gy] = screen(sheet, goal);
  if (Math.hypot(x - gx, y - gy) < 8) return;
  context.lineWidth = 1.5;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(gx, gy);
  context.lineTo(x, y);
  context.stroke();
  context.setLineDash([]);
  context.strokeRect(x - 4, y - 4, 8, 8);
}

function draw_sending(sheet: Sheet): void {
  const { model } = sheet;
  const robot = model.sending && model.state.robots.get(model.sending.robot);
  if (model.sending && robot) draw_wish(sheet, robot, [model.sending.x, model.sending.y]);
}

function draw_wish(sheet: Sheet, robot: Robot, to: Point): void {
  const { context, theme } = sheet;
  const [x, y] = screen(sheet, to);
  context.strokeStyle = robot_hue(theme, robot.id);
  context.lineWidth = 2;
  context.setLineDash([...DASH]);
  context.beginPath();
  context.moveTo(...screen(sheet, [robot.x, robot.y]));
  context.lineTo(x, y);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.arc(x, y, 9, 0, 2 * Math.PI);
  context.moveTo(x - 14, y);
  context.lineTo(x + 14, y);
  context.moveTo(x, y - 14);
  context.lineTo(x, y + 14);
  context.stroke();
}

// Under the pointer, while a robot is chosen: what a click would do.
function draw_ghost(sheet: Sheet, hover: Hover, at: Point): void {
  const { context, model } = sheet;
  const robot = selected_robot(model);
  if (!robot || robot_at(model, sheet.size, hover.x_px, hover.y_px) !== null) return;
  const hint = send_hint(model, robot, at);
  context.globalAlpha = 0.7;
  if (!hint.refused) draw_wish(sheet, robot, at);
  context.globalAlpha = 1;
  const below = hover.y_px + 30 < sheet.size.height - 30;
  draw_tag(sheet, hint.text, hover.x_px + 18, hover.y_px + (below ? 26 : -18), sheet.theme.text, 'left');
}

export function send_hint(model: Model, robot: Robot, [x, y]: Point): { text: string; refused: boolean } {
  const cell = model.store?.at(x, y) ?? UNKNOWN;
  if (!model.store?.inside(x, y)) return { text: 'outside the map', refused: true };
  const closed = closed_words(model.state.areas, [x, y]);
  if (closed) return { text: closed, refused: true };
  if (cell === OBSTACLE) return { text: 'a wall', refused: true };
  if (robot.stop.wanted) return { text: `${robot.id} is stopped: release first`, refused: true };
  const metres = Math.hypot(x - robot.x, y - robot.y).toFixed(0);
  return { text: `send ${robot.id} here, ${metres} m${cell === UNKNOWN ? ', unknown ground' : ''}`, refused: false };
}

function draw_victim(sheet: Sheet, victim: Victim): void {
  const { context, theme, camera, size } = sheet;
  const [x, y] = to_screen(camera, size, victim.x, victim.y);
  const ring = 2 * victim.deviation * camera.px_per_m; // holds 19 of 20
  if (ring > 12) {
    context.strokeStyle = theme.red;
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.arc(x, y, ring, 0, 2 * Math.PI);
    context.stroke();
    context.setLineDash([]);
  }
  context.beginPath();
  context.arc(x, y, 10, 0, 2 * Math.PI);
  context.fillStyle = theme.red;
  context.fill();
  context.strokeStyle = '#ffffff';
  context.lineWidth = 2;
  context.stroke();
  write(context, String(victim.number), x, y, `700 12px ${FONT}`, '#ffffff');
  if (camera.px_per_m >= 12) draw_tag(sheet, `${victim.confidence.toFixed(0)} %`, x, y + 21, theme.text, 'center');
}

function draw_robot(sheet: Sheet, robot: Robot): void {
  const { context, camera, size } = sheet;
  const { is, at, off } = robot_place(camera, size, robot);
  if (off) return draw_off_screen(sheet, robot, is, at);
  const [x, y] = at;
  const shape = robot_shape(sheet.model, robot.id);
  context.save();
  context.translate(x, y);
  if (robot.guards.includes(PLACE_IN_DOUBT)) draw_doubt(sheet, shape);
  if (robot.id === sheet.model.selected) draw_selection(sheet, robot, shape);
  context.rotate(-robot.yaw);
  const half = draw_body(sheet, robot, shape);
  context.restore();
  draw_id(sheet, robot, x, y);
  draw_mode_badge(sheet, robot, x + Math.min(half, 22) * 0.75 + 5, y - Math.min(half, 22) * 0.75 - 5);
}

// Half the length of the symbol, in pixels: to scale, or the least that can be read.
function half_length(camera: Camera, shape: RobotShape | undefined): number {
  return Math.max(ROBOT_PX_MIN, (shape?.length ?? 0.5) * camera.px_per_m) / 2;
}

// It says itself that it may be elsewhere: a broken ring, as of a victim that nobody knows the place of, and a question mark.
function draw_doubt(sheet: Sheet, shape: RobotShape | undefined): void {
  const { context, theme } = sheet;
  const radius = half_length(sheet.camera, shape) + 15;
  context.strokeStyle = theme.red;
  context.lineWidth = 2.5;
  context.setLineDash([...DASH]);
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
  write(context, '?', -radius - 8, 0, `700 18px ${FONT}`, theme.red);
}

function draw_selection(sheet: Sheet, robot: Robot, shape: RobotShape | undefined): void {
  const { context, theme } = sheet;
  const radius = half_length(sheet.camera, shape) + 9;
  context.beginPath();
  context.arc(0, 0, radius, 0, 2 * Math.PI);
  context.lineWidth = 5;
  context.strokeStyle = theme.edge;
  context.stroke();
  context.lineWidth = 2.5;
  context.strokeStyle = theme.selection;
  context.stroke();
  if (!shape || !(shape.thermal_field > 0) || robot.lost) return;
  context.beginPath();
  context.moveTo(0, 0);
  context.arc(0, 0, radius + 26, -robot.yaw - shape.thermal_field / 2, -robot.yaw + shape.thermal_field / 2);
  context.closePath();
  context.globalAlpha = 0.16;
  context.fillStyle = theme.selection;
  context.fill();
  context.globalAlpha = 1;
}

// A body with a nose, heading along +x.
function draw_body(sheet: Sheet, robot: Robot, shape: RobotShape | undefined): number {
  const { context, theme } = sheet;
  const half = half_length(sheet.camera, shape);
  const ratio = shape ? shape.width / shape.length : 0.85;
  const side = Math.max(half * ratio, 9.5);
  const hue = robot_hue(theme, robot.id);
  context.beginPath();
  context.moveTo(half + 7, 0);
  context.lineTo(half - 1, -side * 0.75);
  context.lineTo(half - 1, -side);
  context.lineTo(-half, -side);
  context.lineTo(-half, side);
  context.lineTo(half - 1, side);
  context.lineTo(half - 1, side * 0.75);
  context.closePath();
  const filled = robot_filled(theme, robot.id) && !robot.lost;
  context.lineJoin = 'round';
  context.lineWidth = filled ? 3 : 6;
  context.strokeStyle = theme.edge;
  context.stroke();
  context.fillStyle = filled ? hue : theme.edge;
  context.fill();
  if (!filled) {
    if (robot.lost) context.setLineDash([4, 3]);
    context.lineWidth = 3;
    context.strokeStyle = hue;
    context.stroke();
    context.setLineDash([]);
  }
  return half;
}

function draw_id({ context, theme }: Sheet, robot: Robot, x: number, y: number): void {
  const filled = robot_filled(theme, robot.id) && !robot.lost;
  const colour = filled ? theme.edge : robot_hue(theme, robot.id);
  write(context, String(robot.id), x, y, `700 13px ${FONT}`, colour);
}

function draw_mode_badge({ context, theme, model }: Sheet, robot: Robot, x: number, y: number): void {
  const stopped = robot.stop.wanted;
  context.beginPath();
  context.arc(x, y, 8.5, 0, 2 * Math.PI);
  context.fillStyle = stopped ? theme.red : theme.edge;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = stopped ? '#ffffff' : robot_hue(theme, robot.id);
  context.stroke();
  const glyph = mode_glyph(stopped ? 'stopped' : mode_name(model, robot.mode));
  write(context, glyph, x, y, `700 10px ${FONT}`, stopped ? '#ffffff' : theme.text);
}

// Robots out of sight are at the rim, where to look for them.
function draw_off_screen({ context, theme, model }: Sheet, robot: Robot, [x, y]: Point, [at_x, at_y]: Point): void {
  const towards = Math.atan2(y - at_y, x - at_x);
  context.fillStyle = robot_hue(theme, robot.id);
  context.beginPath();
  context.moveTo(at_x + 15 * Math.cos(towards), at_y + 15 * Math.sin(towards));
  context.arc(at_x, at_y, 10, towards + 0.7, towards - 0.7 + 2 * Math.PI);
  context.closePath();
  context.strokeStyle = robot.id === model.selected ? theme.selection : theme.edge;
  context.lineWidth = 2.5;
  context.stroke();
  context.fill();
  write(context, String(robot.id), at_x, at_y, `700 11px ${FONT}`, theme.edge);
}

// The name of the chosen one, and the age of every picture that is not fresh.
function draw_label(sheet: Sheet, robot: Robot): void {
  const { model, theme, camera, size } = sheet;
  const age = picture_age_s(model.state, robot, sheet.now_ms);
  const fresh = freshness(robot, age);
  const chosen = robot.id === model.selected;
  if (fresh === 'fresh' && !chosen) return;
  const [x, y] = to_screen(camera, size, robot.x, robot.y);
  if (x < 0 || y < 0 || x > size.width || y > size.height) return;
  const words = fresh === 'lost' ? `LOST ${age_words(age)}` : fresh === 'old' ? age_words(age) : '';
  const name = chosen ? robot_name(model, robot.id) : '';
  const colour = fresh === 'lost' ? theme.red : fresh === 'old' ? theme.amber : theme.text;
  const text = [name, words].filter(Boolean).join('  ');
  const shape = robot_shape(model, robot.id);
  const drop = half_length(sheet.camera, shape) + (chosen ? 22 : 18);
  const half = tag_width(sheet.context, text) / 2;
  const spots: Point[] = [[x, y + drop], [x, y - drop - 8], [x + drop + half, y], [x - drop - half, y]];
  const [at_x, at_y] = clearest(sheet, robot, spots, half);
  draw_tag(sheet, text, at_x, at_y, colour, 'center');
}

// The spot at which a tag hides the fewest robots and victims.
function clearest(sheet: Sheet, robot: Robot, spots: Point[], half: number): Point {
  const { model, camera, size } = sheet;
  const others = [...model.state.robots.values()].filter(({ id }) => id !== robot.id);
  const things = [...others, ...model.state.victims.values()].map(({ x, y }) => to_screen(camera, size, x, y));
  const hidden = ([x, y]: Point) =>
    things.filter((thing) => Math.abs(thing[0] - x) < half + 12 && Math.abs(thing[1] - y) < 20).length;
  return spots.reduce((best, spot) => (hidden(spot) < hidden(best) ? spot : best));
}

function tag_width(context: CanvasRenderingContext2D, text: string): number {
  context.font = TAG_FONT;
  return context.measureText(text).width + 10;
}

function draw_tag(
  { context, theme, size }: Sheet,
  text: string,
  x: number,
  y: number,
  colour: string,
  align: 'left' | 'center',
): void {
  const width = tag_width(context, text);
  const wanted = align === 'left' ? x : x - width / 2;
  const left = Math.round(Math.max(2, Math.min(size.width - width - 2, wanted)));
  const top = Math.round(y - 9);
  context.fillStyle = theme.text_back;
  context.fillRect(left, top, width, 18);
  if (colour === theme.red) {
    context.fillStyle = theme.red;
    context.fillRect(left, top, width, 18);
  }
  write(context, text, left + width / 2, top + 9, TAG_FONT, colour === theme.red ? '#ffffff' : colour);
}

function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  font: string,
  colour: string,
): void {
  context.font = font;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillStyle = colour;
  context.fillText(text, x, y + 0.5);
}
