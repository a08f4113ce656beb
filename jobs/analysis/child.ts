import { analyseAudio } from './analyse-audio.ts'
import { inspectAsset } from './inspect-asset.ts'
import { detectFamily } from './media-family.ts'
import type { AnalysisTask } from './run-child.ts'

// Uploaded files are untrusted, and their parsers and decoders are large. Each file is analysed in a separate
// process, which sends one result and exits, so that a crash cannot take the worker down.
const run = (task: AnalysisTask) => {
  if (task.kind === 'family') return detectFamily(task.path)
  return task.kind === 'audio' ? analyseAudio(task) : inspectAsset(task.path, task.contentType)
}

process.once('message', (task: AnalysisTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit(1))
