import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { findContractResult, findNewestContractResult } from '#db/queries/contract-results.ts'
import { listLiveKeys } from '#db/queries/gateway-instances.ts'
import { sumRouteCounts } from '#db/queries/route-counts.ts'
import { explainEvidence } from '#migration/routing/explain-evidence.ts'
import type { OperatorApiOptions } from './operator-options.ts'
import { readGateEvidence } from './read-gate.ts'
import { sumSides } from './reads/read-history.ts'

const periods = [
  { id: 'hour', name: 'the last hour', seconds: 3600 },
  { id: 'day', name: 'the last day', seconds: 86_400 },
  { id: 'week', name: 'the last 7 days', seconds: 7 * 86_400 },
] as const

const countInstances = async (db: Reader, label: Label, evidenceKey: string | null) => {
  const live = await listLiveKeys(db)
  return { live: live.length, onKey: live.filter((keys) => keys[label] === evidenceKey).length }
}

const parseTime = (at: string | null) => (at === null ? null : Date.parse(at))

/** What is stored about the code with which this instance serves a route, and about who serves it. */
export const readEvidence = async (options: OperatorApiOptions, label: Label) => {
  const { reader } = options.database
  const evidenceKey = options.evidenceKeys.get(label) ?? null
  const contract = evidenceKey === null ? null : await findContractResult(reader, label, evidenceKey)
  const newest = contract ?? (await findNewestContractResult(reader, label))
  const instances = await countInstances(reader, label, evidenceKey)
  const requests = await Promise.all(
    periods.map(async ({ id, name, seconds }) => ({
      id,
      name,
      ...sumSides(await sumRouteCounts(reader, label, seconds)),
    })),
  )
  const { sentences: gate, ...comparisons } = await readGateEvidence(options, label)
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
