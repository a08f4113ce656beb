import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

/** The usual limits with some of them changed, so that a test need not wait for them. */
export const progressLimits = (changed: Partial<BodyProgressLimits>): BodyProgressLimits => ({
  ...defaultBodyProgressLimits,
  ...changed,
})
