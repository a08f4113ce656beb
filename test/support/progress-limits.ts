import { type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

/** The default limits with changes, so a test does not wait for the defaults. */
export const progressLimits = (changed: Partial<BodyProgressLimits>): BodyProgressLimits => ({
  ...defaultBodyProgressLimits,
  ...changed,
})
