// map_store.ts - the cells of the map as the station has told them.
//
// Frame    cell (0,0) is the lower-left one; rows go north.
// Memory   One byte a cell. Cost: O(cells of a tile) to store one.
// Failure  A message that does not fit its own count, or names a tile outside, is refused whole.

import type { Box } from './camera';
import type { MapShape } from './protocol';

export const UNKNOWN = 0;
export const FREE = 1;
export const OBSTACLE = 2;
export const LOOKED_AT = 3;

const TILES_KIND = 1;
const HEADER_BYTES = 4;

export interface TilePlace {
  column: number;
  row: number;
}

export class MapStore {
  readonly cells: Uint8Array;
  readonly tile_columns: number;
  readonly tile_rows: number;
  known_count = 0;
  private readonly tile_bytes: number;
  private readonly seen = { left: Infinity, right: -1, low: Infinity, high: -1 }; // cells, both ends included

  constructor(readonly shape: MapShape) {
    this.cells = new Uint8Array(shape.width * shape.height);
    this.tile_columns = Math.ceil(shape.width / shape.tile);
    this.tile_rows = Math.ceil(shape.height / shape.tile);
    this.tile_bytes = (shape.tile * shape.tile) / 4;
  }

  // Stores the tiles of one binary message and names them; null if it is malformed.
  store(message: ArrayBuffer): TilePlace[] | null {
    const places = this.places(new DataView(message));
    if (!places) return null;
    const bytes = new Uint8Array(message);
    places.forEach((place, i) => this.unpack(place, bytes, HEADER_BYTES + i * (4 + this.tile_bytes) + 4));
    return places;
  }

  private places(view: DataView): TilePlace[] | null {
    if (view.byteLength < HEADER_BYTES || view.getUint8(0) !== TILES_KIND) return null;
    const count = view.getUint16(2, true);
    const step = 4 + this.tile_bytes;
    if (view.byteLength !== HEADER_BYTES + count * step) return null;
    const places: TilePlace[] = [];
    for (let i = 0; i < count; i++) {
      const column = view.getUint16(HEADER_BYTES + i * step, true);
      const row = view.getUint16(HEADER_BYTES + i * step + 2, true);
      if (column >= this.tile_columns || row >= this.tile_rows) return null;
      places.push({ column, row });
    }
    return places;
  }

  private unpack(place: TilePlace, bytes: Uint8Array, at: number): void {
    const { tile, width, height } = this.shape;
    const x0 = place.column * tile;
    const y0 = place.row * tile;
    const columns = Math.min(tile, width - x0);
    const rows = Math.min(tile, height - y0);
    let gained = 0;
    for (let y = 0; y < rows; y++) {
      const line = (y0 + y) * width + x0;
      for (let x = 0; x < columns; x++) {
        const i = y * tile + x;
        const cell = (bytes[at + (i >> 2)]! >> (2 * (i & 3))) & 3;
        gained += (cell ? 1 : 0) - (this.cells[line + x] ? 1 : 0);
        this.cells[line + x] = cell;
        if (cell) this.note_seen(x0 + x, y0 + y);
      }
    }
    this.known_count += gained;
  }

  private note_seen(x: number, y: number): void {
    const { seen } = this;
    if (x < seen.left) seen.left = x;
    if (x > seen.right) seen.right = x;
    if (y < seen.low) seen.low = y;
    if (y > seen.high) seen.high = y;
  }

  // The cell at a point of the map; unknown outside.
  at(x_m: number, y_m: number): number {
    const column = Math.floor((x_m - this.shape.x0) / this.shape.cell);
    const row = Math.floor((y_m - this.shape.y0) / this.shape.cell);
    if (column < 0 || row < 0 || column >= this.shape.width || row >= this.shape.height) return UNKNOWN;
    return this.cells[row * this.shape.width + column]!;
  }

  inside(x_m: number, y_m: number): boolean {
    const { x0, y0, cell, width, height } = this.shape;
    return x_m >= x0 && y_m >= y0 && x_m < x0 + width * cell && y_m < y0 + height * cell;
  }

  // What surrounds all cells that were ever known; null when none was.
  known_box(): Box | null {
    const { x0, y0, cell } = this.shape;
    const { left, right, low, high } = this.seen;
    if (right < 0) return null;
    return { x_min: x0 + left * cell, y_min: y0 + low * cell, x_max: x0 + (right + 1) * cell, y_max: y0 + (high + 1) * cell };
  }
}
