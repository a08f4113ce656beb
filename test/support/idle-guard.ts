import type { NativeGuard } from '#migration/control/guard.ts'

/** Creates a guard that observes nothing, so it neither pauses nor stops a route. `replaced` overrides its methods. */
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
