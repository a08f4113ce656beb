import { analyseAudio } from './analyse-audio.ts'
import { inspectAsset } from './inspect-asset.ts'
import { sniffFamily } from './media-family.ts'
import type { AnalysisTask } from './run-child.ts'

// Files come from strangers, and their parsers and decoders are large: one file is looked at in a process of its own,
// which answers once and ends. Whatever becomes of it, the worker lives on.
const answer = ({ task, path, contentType }: AnalysisTask) => {
  if (task === 'family') return sniffFamily(path)
  return task === 'audio' ? analyseAudio(path, contentType) : inspectAsset(path, contentType)
}

process.once('message', (question: AnalysisTask) => {
  answer(question).then(
    (found) => process.send?.(found, () => process.exit(0)),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit(1))
