// building.mjs - a made-up floor of rooms and corridors, and ways through it. For dev/station.mjs only.

export const CELL = 0.1;
export const WIDTH = 620;
export const HEIGHT = 420;
export const ORIGIN = { x: -6, y: -21 };
const COARSE = 5; // cells: ways are looked for on squares of half a metre

// A stream of numbers in [0, 1) that is the same for the same seed.
export function random_stream(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Building {
  constructor(random) {
    this.wall = new Uint8Array(WIDTH * HEIGHT);
    this.free_spots = [];
    this.build(random);
    this.blocked = this.coarse_blocked();
  }

  // A ring of walls, a corridor in the middle, rooms on both sides with doors to the corridor.
  build(random) {
    const [left, right, low, high] = [30, WIDTH - 30, 30, HEIGHT - 30];
    const middle = HEIGHT / 2;
    this.box(left, low, right, high);
    for (const [from, to, door_y] of [[low, middle - 14, middle - 14], [middle + 14, high, middle + 14]]) {
      this.line(left, door_y, right, door_y);
      for (let x = left; x < right; ) {
        const width = 60 + Math.floor(random() * 50);
        const end = right - x - width < 60 ? right : x + width;
        this.line(end, from, end, to);
        const door = x + 15 + Math.floor(random() * (end - x - 40));
        this.clear(door, door_y - 1, door + 12, door_y + 2);
        if (random() < 0.7) this.furnish(random, x, from, end, to);
        if (end < right && random() < 0.5) this.clear(end - 1, from + 40, end + 2, from + 53);
        x = end;
      }
    }
  }

  furnish(random, left, low, right, high) {
    for (let i = 0; i < 3; i++) {
      const x = left + 12 + Math.floor(random() * Math.max(1, right - left - 36));
      const y = low + 28 + Math.floor(random() * Math.max(1, high - low - 70));
      this.box(x, y, x + 6 + Math.floor(random() * 10), y + 5 + Math.floor(random() * 14));
    }
  }

  line(x0, y0, x1, y1) {
    for (let y = y0; y <= y1 + 1; y++) for (let x = x0; x <= x1 + 1; x++) this.wall[y * WIDTH + x] = 1;
  }

  box(x0, y0, x1, y1) {
    this.line(x0, y0, x1, y0);
    this.line(x0, y1, x1, y1);
    this.line(x0, y0, x0, y1);
    this.line(x1, y0, x1, y1);
  }

  clear(x0, y0, x1, y1) {
    for (let y = y0; y <= y1; y++) for (let x = x0; x <= x1; x++) this.wall[y * WIDTH + x] = 0;
  }

  coarse_blocked() {
    const columns = Math.floor(WIDTH / COARSE);
    const rows = Math.floor(HEIGHT / COARSE);
    const blocked = new Uint8Array(columns * rows);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        for (let y = row * COARSE - 2; y < (row + 1) * COARSE + 2; y++)
          for (let x = column * COARSE - 2; x < (column + 1) * COARSE + 2; x++)
            if (this.wall[y * WIDTH + x]) blocked[row * columns + column] = 1;
    return { columns, rows, cells: blocked };
  }

  cell(x, y) {
    const column = Math.floor((x - ORIGIN.x) / CELL);
    const row = Math.floor((y - ORIGIN.y) / CELL);
    if (column < 0 || row < 0 || column >= WIDTH || row >= HEIGHT) return -1;
    return row * WIDTH + column;
  }

  is_wall(x, y) {
    const at = this.cell(x, y);
    return at < 0 || this.wall[at] === 1;
  }

  // Breadth first from the robot: a way to the place, or null; with no place, to a random one that is far enough.
  way(from, to, random) {
    const { columns, rows, cells } = this.blocked;
    const square = ({ x, y }) =>
      Math.floor((y - ORIGIN.y) / CELL / COARSE) * columns + Math.floor((x - ORIGIN.x) / CELL / COARSE);
    const start = square(from);
    const before = new Int32Array(columns * rows).fill(-1);
    const queue = [start];
    before[start] = start;
    for (let i = 0; i < queue.length; i++) {
      const at = queue[i];
      for (const step of [1, -1, columns, -columns]) {
        const next = at + step;
        if (next < 0 || next >= cells.length || before[next] >= 0 || cells[next]) continue;
        before[next] = at;
        queue.push(next);
      }
    }
    const goal = to ? square(to) : queue[Math.floor((0.3 + 0.7 * random()) * (queue.length - 1))];
    if (!(before[goal] >= 0)) return null;
    const squares = [goal];
    while (squares[0] !== start) squares.unshift(before[squares[0]]);
    return squares.map((at) => [
      ORIGIN.x + ((at % columns) + 0.5) * COARSE * CELL,
      ORIGIN.y + (Math.floor(at / columns) + 0.5) * COARSE * CELL,
    ]);
  }
}
