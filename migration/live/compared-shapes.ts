import { isResponseShape, queryShapesOf } from '../model/gate/response-shapes.ts'
import type { Sample } from './sample.ts'
import type { ComparisonResult } from './shadow/comparison-tasks.ts'

/**
 * The shapes of a request and of the core's response to it. Empty for a read that follows a write, because its shapes say
 * nothing about the write. The child process that read the response is not trusted, so shapes outside the contract are
 * dropped.
 */
export const shapesOf = ({ label, judged, request }: Sample, result: ComparisonResult): readonly string[] =>
  result.kind === 'compared' && label === judged.label
    ? [
        ...queryShapesOf(label, request.query),
        ...result.shapes.filter((shape) => isResponseShape(label, shape)),
      ]
    : []
