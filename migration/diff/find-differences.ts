import type { Contract } from '#contracts/shared/contract.ts'
import { compareEffects } from './compare-effects.ts'
import { compareHeaders } from './compare-headers.ts'
import { compareIds } from './compare-ids.ts'
import { compareValues } from './compare-values.ts'
import { selectResponseShape } from './contract-of-response.ts'
import { absent, body, createFindings, type Finding, type Findings, locationAt } from './findings.ts'
import type { Body, RecordedResponse } from './recorded-response.ts'
import { type Shape, shown } from './shape.ts'

const contentOf = (read: Body) => {
  if (read.kind === 'empty') return absent
  return read.kind === 'json' ? read.value : read.text
}

const compareBodies = (
  found: Findings,
  shape: Shape | null,
  native: Body,
  core: Body,
  ofOneState: boolean,
) => {
  const [ours, theirs] = [contentOf(native), contentOf(core)]
  if (ours === absent || theirs === absent) {
    if (ours !== theirs) found.add(ours === absent ? 'missing' : 'extra', body, ours, theirs)
  } else if (native.kind !== core.kind) found.add('type', body, ours, theirs)
  else {
    compareValues(found, shape, ours, theirs, body)
    compareIds(found, shape, ours, theirs, ofOneState)
  }
}

/**
 * How one answer differs from another by the contract of their route, unjudged. `areInForm` says that both are
 * known to keep it, `ofOneState` that both were asked of the same state.
 */
export const findDifferences = (
  contract: Contract,
  native: RecordedResponse,
  core: RecordedResponse,
  areInForm = false,
  ofOneState = false,
): readonly Finding[] => {
  const found = createFindings(areInForm)
  if (native.status !== core.status) {
    // Two statuses have two kinds of bodies, of which nothing is to be compared.
    found.add('status', locationAt('status'), native.status, core.status, shown)
    return found.list()
  }
  compareHeaders(found, native, core)
  compareBodies(
    found,
    selectResponseShape(contract, native) ?? selectResponseShape(contract, core),
    native.body,
    core.body,
    ofOneState,
  )
  compareEffects(found, native, core)
  return found.list()
}
