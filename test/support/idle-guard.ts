import type { NativeGuard } from '#migration/control/guard.ts'

/** A guard that observes nothing, and so neither pauses nor stops a route, except for what `replaced` does. */
export const createIdleGuard = (replaced: Partial<NativeGuard> = {}): NativeGuard => ({
  mayTryNative: () => true,
  listUntried: () => [],
  isPaused: () => false,
  isStopped: () => false,
  settled: () => {},
  adoptSteps: () => {},
  adoptBaselines: () => {},
  stop: () => {},
  countVote: () => {},
  takeDeltas: () => new Map(),
  close: () => {},
  ...replaced,
})
