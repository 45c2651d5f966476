import { randomFillSync } from 'node:crypto';

/** Numbers that are asked for at once. `uuidv7` itself asks for 8, which takes longer than all else of an id. */
const AMOUNT = 1_024;

/** Whole numbers of 32 bits from a cryptographic source, as `uuidv7` wants them. */
export class RandomNumbers {
  private readonly numbers = new Uint32Array(AMOUNT);
  private used = AMOUNT;

  nextUint32(): number {
    if (this.used === AMOUNT) {
      randomFillSync(this.numbers);
      this.used = 0;
    }
    return this.numbers[this.used++]!;
  }
}
