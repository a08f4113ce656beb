import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { compareResponses } from '#migration/diff/compare-responses.ts'
import type { Rules } from '#migration/diff/judge.ts'
import { createMask } from '#migration/diff/mask.ts'
import type { Observation, RecordedResponse } from '#migration/diff/recorded-response.ts'
import type { Verdict } from '#migration/diff/verdict.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'

export const contractOf = (label: Label): Contract => contracts[label]

export const rules: Rules = {
  accepted: acceptedDifferences,
  today: '2026-12-01',
  mask: createMask('test key'),
}

/** Rules for a core that returned the same response twice. */
export const deterministicCoreRules: Rules = { ...rules, noise: { pairs: 1, disagreements: new Map() } }

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

export const recordedResponse = (
  status: number,
  value?: unknown,
  headers: Record<string, string> = {},
): RecordedResponse =>
  value === undefined
    ? { status, headers: { 'cache-control': 'no-store', ...headers }, body: { kind: 'empty' } }
    : { status, headers: { ...jsonHeaders, ...headers }, body: { kind: 'json', value } }

export const compare = (
  label: Label,
  native: Observation,
  core: Observation,
  overrides: Partial<Rules> = {},
): Verdict => compareResponses(label, native, core, { ...rules, ...overrides })

/** One line per difference: `kind path class blame`. */
export const formatDifferences = ({ differences }: Verdict) =>
  differences.map(
    (difference) => `${difference.kind} ${difference.path} ${difference.class} ${difference.blame}`,
  )

/** The schema of every documented success with a body, by label and status. */
export const documentedBodies = Object.values<Contract>(contracts).flatMap((contract) =>
  Object.entries(contract.responses).flatMap(([status, schema]) =>
    schema ? [{ name: `${contract.label} ${status}`, contract, status: Number(status), schema }] : [],
  ),
)
