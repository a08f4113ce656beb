import type { Label } from '#contracts/route-table.ts'
import { isTwoSided } from '#contracts/shared/row.ts'
import { formatCount, formatCountOf } from '#shared/format-quantity.ts'
import type { ContractResult } from './gate/gate-input.ts'
import { describeExpiry, hasExpired } from './gate/state-checks.ts'

interface SideCounts {
  readonly requests: number
  readonly errors: number
}

interface PeriodCounts {
  /** For example `the last hour`. */
  readonly name: string
  readonly native: SideCounts
  readonly core: SideCounts
}

interface ReportedContract extends ContractResult {
  readonly who: string
  readonly at: string
}

export interface StoredEvidence {
  readonly label: Label
  /** Null if this build has no handler for the route, or lacks settings for it. */
  readonly evidenceKey: string | null
  readonly instances: { readonly live: number; readonly onKey: number }
  /** The contract run for this code or, if there is none, the newest run for different code. */
  readonly contract: ReportedContract | null
  /** Sentences about what keeps native from serving and what comparisons found, most urgent first. */
  readonly findings: readonly string[]
  readonly gate: readonly string[]
  readonly periods: readonly PeriodCounts[]
  /** Unix time in milliseconds. */
  readonly now: number
}

const describeCode = ({ label, evidenceKey, instances: { live, onKey } }: StoredEvidence) => {
  if (evidenceKey === null)
    return [`This instance cannot serve ${label} natively, so there is no evidence for its code.`]
  const others = live - onKey
  const shared =
    others === 0
      ? `all running instances (${live}) run this code`
      : `${others} of ${live} running instances ${others === 1 ? 'runs' : 'run'} different code`
  return [`Evidence key ${evidenceKey}: ${shared}.`]
}

const describeFindings = ({ problems, forbiddingDifferences }: ContractResult) => {
  if (problems + forbiddingDifferences === 0) return 'is clean'
  const findings = [
    ...(problems > 0 ? [formatCountOf(problems, 'problem')] : []),
    ...(forbiddingDifferences > 0
      ? [
          `${formatCountOf(forbiddingDifferences, 'accepted difference')} that ${forbiddingDifferences === 1 ? 'forbids' : 'forbid'} promotion`,
        ]
      : []),
  ]
  return `found ${findings.join(' and ')}`
}

const describeRun = (contract: ReportedContract, now: number) => {
  const [date, time = ''] = contract.at.split('T')
  const findings = hasExpired(contract, now) ? describeExpiry(contract) : describeFindings(contract)
  return `${findings} (posted by ${contract.who}, finished on ${date} at ${time.slice(0, 5)} UTC)`
}

const describeContract = ({ evidenceKey, contract, now }: StoredEvidence) => {
  if (contract !== null && contract.evidenceKey === evidenceKey)
    return [`The contract run for this code ${describeRun(contract, now)}.`]
  return [
    'No contract run for this code yet. Run npm run contract -- --post in a checkout of this release.',
    ...(contract
      ? [`The newest run, for different code, ${describeRun(contract, now)}; it does not count.`]
      : []),
  ]
}

const describeSide = (name: string, { requests, errors }: SideCounts) =>
  `${name} served ${formatCountOf(requests, 'request')}${requests === 0 ? '' : ` (${formatCount(errors)} with a 5xx)`}`

const describePeriod = ({ name, native, core }: PeriodCounts) => {
  const sides = `${describeSide('native', native)}, ${describeSide('the core', core)}`
  return `In ${name}, ${sides}.`
}

export const explainEvidence = (evidence: StoredEvidence): readonly string[] => [
  ...(isTwoSided(evidence.label)
    ? [...evidence.findings, ...describeCode(evidence), ...evidence.gate, ...describeContract(evidence)]
    : [`Only native can serve ${evidence.label}, so there is no core to compare it with.`]),
  ...evidence.periods.map(describePeriod),
]
