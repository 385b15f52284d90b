// map_layer.ts - the cells as pictures, and their drawing over the fog: a few drawImage calls.
//
// Memory   One canvas of 256 x 256 cells for each part of the map that has known cells, and two coarser ones, in which
//          a wall stays a wall. Unknown cells are transparent.
// Cost     Storing a tile: O(its cells). Drawing: one drawImage for each chunk that is in sight.

import { to_screen, round_length_m, type Camera, type Size } from './camera';
import { packed, type Theme } from './colours';
import { FREE, LOOKED_AT, OBSTACLE, UNKNOWN, type MapStore, type TilePlace } from './map_store';

const CHUNK = 256; // cells along the edge
const LEVELS = 3; // 1, 2 and 4 cells a pixel
const HATCH_PX = 8;

interface Level {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  image: ImageData;
  pixels: Uint32Array;
}

interface Chunk {
  column: number;
  row: number;
  levels: Level[];
}

export class MapLayer {
  private chunks = new Map<number, Chunk>();
  private colours = new Uint32Array(4);
  private hatch: CanvasPattern | null = null;

  constructor(
    readonly store: MapStore,
    private theme: Theme,
  ) {
    this.set_theme(theme);
  }

  set_theme(theme: Theme): void {
    this.theme = theme;
    this.hatch = null;
    this.colours[UNKNOWN] = 0;
    this.colours[FREE] = packed(theme.free);
    this.colours[OBSTACLE] = packed(theme.wall);
    this.colours[LOOKED_AT] = packed(theme.looked_at);
    for (const chunk of this.chunks.values()) this.paint(chunk, 0, 0, CHUNK, CHUNK);
  }

  update(places: TilePlace[]): void {
    const { tile } = this.store.shape;
    for (const place of places) {
      const x = place.column * tile;
      const y = place.row * tile;
      const chunk = this.chunk_at(Math.floor(x / CHUNK), Math.floor(y / CHUNK));
      this.paint(chunk, x % CHUNK, y % CHUNK, tile, tile);
    }
  }

  private chunk_at(column: number, row: number): Chunk {
    const key = row * 65536 + column;
    let chunk = this.chunks.get(key);
    if (!chunk) {
      const levels = Array.from({ length: LEVELS }, (_, level) => new_level(CHUNK >> level));
      this.chunks.set(key, (chunk = { column, row, levels }));
    }
    return chunk;
  }

  // Paints a square of cells of a chunk, on all its levels. Pictures have y down.
  private paint(chunk: Chunk, x: number, y: number, width: number, height: number): void {
    chunk.levels.forEach((level, i) => {
      const step = 1 << i;
      const size = CHUNK >> i;
      for (let row = y; row < y + height; row += step) {
        const line = (size - 1 - (row >> i)) * size;
        for (let column = x; column < x + width; column += step)
          level.pixels[line + (column >> i)] = this.colours[this.strongest(chunk, column, row, step)]!;
      }
      const top = size - ((y + height) >> i);
      level.context.putImageData(level.image, 0, 0, x >> i, top, width >> i, height >> i);
    });
  }

  // A wall hides what is free, what is free hides what is unknown.
  private strongest(chunk: Chunk, column: number, row: number, step: number): number {
    const { width, height } = this.store.shape;
    const x0 = chunk.column * CHUNK + column;
    const y0 = chunk.row * CHUNK + row;
    let best = UNKNOWN;
    for (let y = y0; y < Math.min(height, y0 + step); y++) {
      for (let x = x0; x < Math.min(width, x0 + step); x++) {
        const cell = this.store.cells[y * width + x]!;
        if (cell === OBSTACLE) return OBSTACLE;
        if (cell > best) best = cell;
      }
    }
    return best;
  }

  draw(context: CanvasRenderingContext2D, camera: Camera, size: Size, px_ratio: number): void {
    this.draw_fog(context, camera, size);
    this.draw_chunks(context, camera, size, px_ratio);
    this.draw_grid(context, camera, size);
  }

  // The hatching is fixed to the map, so that it does not swim when the view moves.
  private draw_fog(context: CanvasRenderingContext2D, camera: Camera, size: Size): void {
    this.hatch ??= hatch_pattern(context, this.theme);
    const [x, y] = to_screen(camera, size, 0, 0);
    this.hatch?.setTransform(new DOMMatrix([1, 0, 0, 1, Math.round(x % HATCH_PX), Math.round(y % HATCH_PX)]));
    context.fillStyle = this.hatch ?? this.theme.unknown;
    context.fillRect(0, 0, size.width, size.height);
  }

  // Nearest neighbours: crisp walls, and a fifth of the work of smoothing where there is no graphics card.
  private draw_chunks(context: CanvasRenderingContext2D, camera: Camera, size: Size, px_ratio: number): void {
    const { x0, y0, cell } = this.store.shape;
    const px_per_cell = camera.px_per_m * cell * px_ratio;
    const level = px_per_cell >= 1 ? 0 : px_per_cell >= 0.5 ? 1 : 2;
    context.imageSmoothingEnabled = false;
    const edge_m = CHUNK * cell;
    for (const chunk of this.chunks.values()) {
      const [left, bottom] = to_screen(camera, size, x0 + chunk.column * edge_m, y0 + chunk.row * edge_m);
      const edge = edge_m * camera.px_per_m;
      if (left > size.width || left + edge < 0 || bottom < 0 || bottom - edge > size.height) continue;
      context.drawImage(chunk.levels[level]!.canvas, left, bottom - edge, edge, edge);
    }
  }

  private draw_grid(context: CanvasRenderingContext2D, camera: Camera, size: Size): void {
    const step = round_length_m(camera.px_per_m, 120);
    const half_x = size.width / 2 / camera.px_per_m;
    const half_y = size.height / 2 / camera.px_per_m;
    context.fillStyle = this.theme.grid;
    for (let x = Math.ceil((camera.x - half_x) / step) * step; x < camera.x + half_x; x += step)
      context.fillRect(Math.round(to_screen(camera, size, x, 0)[0]), 0, 1, size.height);
    for (let y = Math.ceil((camera.y - half_y) / step) * step; y < camera.y + half_y; y += step)
      context.fillRect(0, Math.round(to_screen(camera, size, 0, y)[1]), size.width, 1);
  }
}

function new_level(size: number): Level {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d')!;
  const image = context.createImageData(size, size);
  return { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
}

function hatch_pattern(context: CanvasRenderingContext2D, theme: Theme): CanvasPattern | null {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = HATCH_PX;
  const brush = canvas.getContext('2d')!;
  brush.fillStyle = theme.unknown;
  brush.fillRect(0, 0, HATCH_PX, HATCH_PX);
  brush.strokeStyle = theme.hatch;
  brush.lineWidth = 1.5;
  brush.beginPath();
  for (const shift of [-HATCH_PX, 0, HATCH_PX]) {
    brush.moveTo(shift - 1, HATCH_PX + 1);
    brush.lineTo(shift + HATCH_PX + 1, -1);
  }
  brush.stroke();
  return context.createPattern(canvas, 'repeat');
}
