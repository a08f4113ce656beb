import { isLabel } from '#contracts/shared/row.ts'
import { listNearest } from '../api/list-nearest.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { type Mismatch, MismatchesResponse } from './responses.ts'
import { defineVerb } from './verb.ts'

const reject = (error: string, message: string) =>
  new CommandError(exitCodes.rejected, message, { body: { error, message } })

const describeNearest = (signature: string, mismatches: readonly Mismatch[]) => {
  const known = mismatches.map((mismatch) => mismatch.signature)
  const nearest = listNearest(signature, known).flatMap(
    (name) => mismatches.find((mismatch) => mismatch.signature === name) ?? [],
  )
  return nearest.length > 0
    ? `Closest: ${nearest.map(({ signature: name, kind, path }) => `${name} (${kind} at ${path})`).join(', ')}`
    : 'It has no mismatches at all.'
}

export const reproduce = defineVerb({
  takes: 'reproduce LABEL SIGNATURE',
  means: 'prints a scenario for test/scenarios that reproduces a mismatch',
  flags: {},
  required: 2,
  async run({ operandAt }, send) {
    const path = `/api/routes/${encodeURIComponent(operandAt(0))}/evidence`
    const { label, mismatches } = await send(MismatchesResponse, 'GET', path)
    const signature = operandAt(1)
    const mismatch = mismatches.find((each) => each.signature === signature)
    if (!mismatch)
      throw reject(
        'signature_unknown',
        `${label} has no mismatch with the signature ${signature}. ${describeNearest(signature, mismatches)}`,
      )
    // Imported only here, because it loads all contracts. Otherwise, `kill` would take three times as long to start.
    const { writeScenario } = await import('../parity/reproduce/write-scenario.ts')
    const written = isLabel(label) ? writeScenario(label, mismatch) : null
    if (!written)
      throw reject(
        'route_not_reproducible',
        `${label} is not a GET that both sides serve: write its scenario by hand`,
      )
    return { json: { label, signature, ...written }, text: written.scenario }
  },
})
