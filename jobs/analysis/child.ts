import { analyseAudio } from './analyse-audio.ts'
import { inspectAsset } from './inspect-asset.ts'
import { detectFamily } from './media-family.ts'
import type { AnalysisTask } from './run-child.ts'
import { childExitCodes, isSystemError } from './system-error.ts'

// Uploaded files are untrusted, and their parsers and decoders are large. Each file gets a separate process, which
// sends one result and exits, so a crash cannot take the worker down.
const run = (task: AnalysisTask) => {
  if (task.kind === 'family') return detectFamily(task.path)
  return task.kind === 'audio' ? analyseAudio(task) : inspectAsset(task.path, task.contentType)
}

const exitWithError = (error: unknown) =>
  process.exit(isSystemError(error) ? childExitCodes.systemFailed : childExitCodes.taskFailed)

process.once('message', (task: AnalysisTask) => {
  // A parser may throw from a callback.
  process.on('uncaughtException', exitWithError)
  run(task).then((result) => process.send?.(result, () => process.exit(0)), exitWithError)
})
process.on('disconnect', () => process.exit(1))
