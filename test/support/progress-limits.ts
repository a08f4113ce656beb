import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

/** The default limits with changes, so that a test does not have to wait as long as the defaults require. */
export const progressLimits = (changed: Partial<BodyProgressLimits>): BodyProgressLimits => ({
  ...defaultBodyProgressLimits,
  ...changed,
})
