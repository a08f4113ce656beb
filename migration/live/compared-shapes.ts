import { isResponseShape, queryShapesOf } from '../model/gate/response-shapes.ts'
import type { ComparisonResult } from '../shadow/comparison-tasks.ts'
import type { Sample } from './sample.ts'

/**
 * Returns the shapes of a request and the core's response. Empty for a read after a write, because its shapes say
 * nothing about the write. Drops shapes that are not in the contract, because the child process is not trusted.
 */
export const shapesOf = ({ label, judged, request }: Sample, result: ComparisonResult): readonly string[] =>
  result.kind === 'compared' && label === judged.label
    ? [
        ...queryShapesOf(label, request.query),
        ...result.shapes.filter((shape) => isResponseShape(label, shape)),
      ]
    : []
