import { analyseAudio } from './analyse-audio.ts'
import { inspectAsset } from './inspect-asset.ts'
import { detectFamily } from './media-family.ts'
import type { AnalysisTask } from './run-child.ts'

// Uploaded files are untrusted, and their parsers and decoders are large. Each file is analysed in a separate
// process, which sends one result and exits, so that a crash cannot take the worker down.
const run = ({ kind: task, path, contentType }: AnalysisTask) => {
  if (task === 'family') return detectFamily(path)
  return task === 'audio' ? analyseAudio(path, contentType) : inspectAsset(path, contentType)
}

process.once('message', (task: AnalysisTask) => {
  run(task).then(
    (result) => process.send?.(result, () => process.exit(0)),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit(1))
