import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'

/** The installed ffmpeg. Tests that need it are skipped where it is null, which CI does not allow. */
export const ffmpeg = findFfmpeg(process.env.FFMPEG_PATH || undefined)

if (!ffmpeg && process.env.CI) throw new Error('the tests in CI require ffmpeg and prlimit')
