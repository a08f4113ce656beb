import type { Contract } from '#contracts/shared/contract.ts'
import type { TimeComparison } from './compare-generated.ts'
import { addLocationIds, compareHeaders } from './compare-headers.ts'
import { compareIds } from './compare-ids.ts'
import { compareValues } from './compare-values.ts'
import { selectDiffSchema } from './contract-of-response.ts'
import { type DiffSchema, unmaskedSchema } from './diff-schema.ts'
import {
  absent,
  body,
  createCollector,
  type DifferenceCollector,
  locationAt,
  type RawDifference,
} from './difference-collector.ts'
import type { Body, RecordedResponse } from './recorded-response.ts'

const readContent = (read: Body) => {
  if (read.kind === 'empty') return absent
  return read.kind === 'json' ? read.value : read.text
}

const compareBodies = (found: DifferenceCollector, schema: DiffSchema | null, native: Body, core: Body) => {
  const [ours, theirs] = [readContent(native), readContent(core)]
  if (ours === absent || theirs === absent) {
    if (ours !== theirs) found.add(ours === absent ? 'missing' : 'extra', body, ours, theirs)
  } else if (native.kind !== core.kind) found.add('type', body, ours, theirs)
  else compareValues(found, schema, ours, theirs, body)
}

// Uses the `date` header instead of the clock. Responses are judged again at the end of a run, when their URLs may have
// expired. The header has whole seconds, so this rounds up.
const respondedAt = (responses: readonly RecordedResponse[]) => {
  const times = responses.map(({ headers }) => Date.parse(headers.date ?? '') + 1000)
  return times.some(Number.isNaN) ? Date.now() : Math.max(...times)
}

/** `isValid`: both satisfy the contract. `isSameState`: both sides read the same state. */
export const findDifferences = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  isValid = false,
  isSameState = false,
  times: TimeComparison = 'any',
): readonly RawDifference[] => {
  const found = createCollector(isValid, times, respondedAt([native, core]))
  if (native.status !== core.status) {
    // Bodies are compared only if the statuses are equal, because each status has its own schema.
    found.add('status', locationAt('status'), native.status, core.status, unmaskedSchema)
    return found.list()
  }
  const schema = selectDiffSchema(contract, native) ?? selectDiffSchema(contract, core)
  compareHeaders(found, contract, native, core)
  compareBodies(found, schema, native.body, core.body)
  addLocationIds(found, contract, native, core)
  compareIds(found, schema, readContent(native.body), readContent(core.body), isSameState)
  return found.list()
}
