/** Sentences, each about one broken promise; empty when all were kept. */
export type Violations = string[];
