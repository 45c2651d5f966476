/** How far the process is on its way to its end. */
export class Lifecycle {
  /** `stopping` answers what is in flight and wants no more; `cutting` waits for nothing any longer. */
  state: 'serving' | 'stopping' | 'cutting' = 'serving';
}
