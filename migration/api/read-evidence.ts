import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findContractResult, findNewestContractResult } from '#db/queries/evidence/contract-results.ts'
import { listLiveKeys } from '#db/queries/routing/gateway-instances.ts'
import { type RouteCounts, sumRouteCounts } from '#db/queries/routing/route-counts.ts'
import { explainEvidence } from '../model/explain-evidence.ts'
import { sumSides } from './history.ts'
import type { OperatorApiOptions } from './operator-options.ts'
import { type GateReader, readGateEvidence } from './read-gate.ts'
import { countsMaxAgeMs, rememberReads } from './remember-reads.ts'

const periods = [
  { id: 'hour', name: 'the last hour', seconds: 3600 },
  { id: 'day', name: 'the last day', seconds: 86_400 },
  { id: 'week', name: 'the last 7 days', seconds: 7 * 86_400 },
] as const

/** What each side has served of a route in the last seconds. */
type SumCounts = (label: Label, seconds: number) => Promise<RouteCounts>

/** Reads the sum of an hour, and remembers those of longer periods for a minute. */
export const createCountSums = ({ database, now = Date.now }: OperatorApiOptions): SumCounts => {
  const remember = rememberReads<RouteCounts>(countsMaxAgeMs, now)
  return (label, seconds) => {
    const read = () => sumRouteCounts(database.reader, label, seconds)
    return seconds > 3600 ? remember(`${label} ${seconds}`, read) : read()
  }
}

const countInstances = async (db: Reader, label: Label, evidenceKey: string | null, readGate: GateReader) => {
  const read = await readGate(label)
  if (read) return { live: read.live, onKey: read.input.instances.onKey }
  const live = await listLiveKeys(db, label)
  return { live: live.length, onKey: live.filter((keys) => keys[label] === evidenceKey).length }
}

const findContract = async (db: Reader, label: Label, evidenceKey: string | null) => {
  const contract = evidenceKey === null ? null : await findContractResult(db, label, evidenceKey)
  return { contract, newest: contract ?? (await findNewestContractResult(db, label)) }
}

const parseTime = (at: string | null) => (at === null ? null : Date.parse(at))

interface EvidenceReaders {
  readonly sumCounts: SumCounts
  readonly readGate: GateReader
}

/** What is stored about the code with which this instance serves a route, and about who serves it. */
export const readEvidence = async (
  options: OperatorApiOptions,
  label: Label,
  { sumCounts, readGate }: EvidenceReaders,
) => {
  const { reader } = options.database
  const evidenceKey = options.evidenceKeys.get(label) ?? null
  const [{ contract, newest }, instances, requests, { sentences: gate, ...comparisons }] = await Promise.all([
    findContract(reader, label, evidenceKey),
    countInstances(reader, label, evidenceKey, readGate),
    Promise.all(
      periods.map(async ({ id, name, seconds }) => ({
        id,
        name,
        ...sumSides(await sumCounts(label, seconds)),
      })),
    ),
    readGateEvidence(options, label, readGate),
  ])
  const sentences = explainEvidence({
    label,
    evidenceKey,
    instances,
    contract: newest && { ...newest, validUntil: parseTime(newest.validUntil) },
    gate,
    periods: requests,
    now: Date.now(),
  })
  return {
    label,
    evidenceKey,
    instances,
    contract,
    ...comparisons,
    requests: Object.fromEntries(requests.map(({ id, native, core }) => [id, { native, core }])),
    sentences,
  }
}
