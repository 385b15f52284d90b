// frames.ts - how long the main thread is kept, per frame: messages handled since the frame before, and the frame.

const KEPT = 4096;

export interface FrameFigures {
  count: number;
  p50: number; // ms
  p95: number;
  max: number;
}

export class FrameMeter {
  private readonly kept = new Float32Array(KEPT);
  private count = 0;
  private since_frame_ms = 0;

  // Runs something between two frames and counts its time for the next one.
  between<T>(work: () => T): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      this.since_frame_ms += performance.now() - began;
    }
  }

  frame(work: () => void): void {
    this.between(work);
    this.kept[this.count++ % KEPT] = this.since_frame_ms;
    this.since_frame_ms = 0;
  }

  figures(): FrameFigures {
    const sorted = this.kept.slice(0, Math.min(this.count, KEPT)).sort();
    const part = (p: number) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))] ?? 0;
    return { count: this.count, p50: part(0.5), p95: part(0.95), max: sorted[sorted.length - 1] ?? 0 };
  }

  reset(): void {
    this.count = 0;
    this.since_frame_ms = 0;
  }
}
