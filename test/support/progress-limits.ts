import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

/** The default limits with changes, so that a test does not have to wait for the defaults. */
export const progressLimits = (changed: Partial<BodyProgressLimits>): BodyProgressLimits => ({
  ...defaultBodyProgressLimits,
  ...changed,
})
