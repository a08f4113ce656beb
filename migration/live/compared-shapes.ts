import { isResponseShape, queryShapesOf } from '../model/gate/response-shapes.ts'
import type { Sample } from './sample.ts'
import type { ComparisonResult } from './shadow/comparison-tasks.ts'

/**
 * The shapes of a request and of the core's response to it. None of a read that follows a write: they say nothing of the
 * write. The child process that has read the response is not trusted: what the contract does not have is left out.
 */
export const shapesOf = ({ label, judged, request }: Sample, result: ComparisonResult): readonly string[] =>
  result.kind === 'compared' && label === judged.label
    ? [
        ...queryShapesOf(label, request.query),
        ...result.shapes.filter((shape) => isResponseShape(label, shape)),
      ]
    : []
