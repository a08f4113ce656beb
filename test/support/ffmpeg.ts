import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'

/** The installed ffmpeg. If it is null, tests that need it are skipped, which CI does not allow. */
export const ffmpeg = findFfmpeg(process.env.FFMPEG_PATH || undefined)

if (!ffmpeg && process.env.CI) throw new Error('the tests in CI require ffmpeg and prlimit')
