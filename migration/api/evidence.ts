import { invalid } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import {
  findContractResult,
  findNewestContractResult,
  saveContractResults,
} from '#db/queries/evidence/contract-results.ts'
import { listLiveKeys } from '#db/queries/routing/gateway-instances.ts'
import { sumRouteCounts } from '#db/queries/routing/route-counts.ts'
import { explainEvidence } from '../model/explain-evidence.ts'
import { ContractReport } from '../parity/report/contract-report.ts'
import { sumSides } from './history.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { readGateEvidence } from './read-gate.ts'
import { acceptsRemembered, evidenceMaxAgeMs, rememberReads } from './remember-reads.ts'
import { LabelParams, sendJson, validate } from './requests.ts'

const periods = [
  { id: 'hour', name: 'the last hour', seconds: 3600 },
  { id: 'day', name: 'the last day', seconds: 86_400 },
  { id: 'week', name: 'the last 7 days', seconds: 7 * 86_400 },
] as const

/** Sums one period after the other. Counts only grow, so a day never shows fewer requests than its last hour. */
const sumPeriods = async (db: Reader, label: Label) => {
  const sums = []
  for (const period of periods)
    sums.push({ ...period, ...sumSides(await sumRouteCounts(db, label, period.seconds)) })
  return sums
}

const countInstances = async (db: Reader, label: Label, evidenceKey: string | null) => {
  const live = await listLiveKeys(db, label)
  return { live: live.length, onKey: live.filter((keys) => keys[label] === evidenceKey).length }
}

const findContract = async (db: Reader, label: Label, evidenceKey: string | null) => {
  const contract = evidenceKey === null ? null : await findContractResult(db, label, evidenceKey)
  return { contract, newest: contract ?? (await findNewestContractResult(db, label)) }
}

const parseTime = (at: string | null) => (at === null ? null : Date.parse(at))

export const readEvidence = async (options: OperatorApiOptions, label: Label) => {
  const { reader } = options.database
  const evidenceKey = options.evidenceKeys.get(label) ?? null
  const [{ contract, newest }, instances, requests, { sentences: gate, findings, ...comparisons }] =
    await Promise.all([
      findContract(reader, label, evidenceKey),
      countInstances(reader, label, evidenceKey),
      sumPeriods(reader, label),
      readGateEvidence(options, label),
    ])
  const sentences = explainEvidence({
    label,
    evidenceKey,
    instances,
    contract: newest && { ...newest, validUntil: parseTime(newest.validUntil) },
    findings,
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

const maxClockDifferenceMs = 5 * 60_000

// A result with a future time would hide later runs until that time.
const requirePast = (finishedAt: string) => {
  if (Date.parse(finishedAt) - Date.now() <= maxClockDifferenceMs) return
  throw invalid(
    'finishedAt',
    'must not be in the future: check the clock of the machine that made the contract run',
  )
}

const listOtherCode = async (db: Reader, results: ContractReport['results']) => {
  const live = await listLiveKeys(db)
  const otherCode = results.flatMap(({ label, evidenceKey }) => {
    const instances = live.filter((keys) => (keys[label] ?? evidenceKey) !== evidenceKey).length
    return instances === 0 ? [] : [{ label, instances }]
  })
  return { instances: live.length, otherCode }
}

export const mountEvidence = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log, routing, now = Date.now } = options
  const remember = rememberReads<Awaited<ReturnType<typeof readEvidence>>>(evidenceMaxAgeMs, now)

  app.post(
    '/api/contract-results',
    requireRole('report'),
    validate('json', ContractReport),
    async ({ req, get }) => {
      const { finishedAt, results } = req.valid('json')
      requirePast(finishedAt)
      const { name: who } = get('operator')
      const rows = results.map((result) => ({ ...result, who, at: finishedAt }))
      const stored = new Set(await database.db.transaction((tx) => saveContractResults(tx, rows)))
      if (rows.length > 0)
        log.info({ operator: who, results: stored.size, finishedAt }, 'contract results stored')
      const outdated = rows.map(({ label }) => label).filter((label) => !stored.has(label))
      return sendJson({ stored: stored.size, outdated, ...(await listOtherCode(database.reader, results)) })
    },
  )

  app.get(
    '/api/routes/:label/evidence',
    requireRole('read'),
    validate('param', LabelParams),
    async ({ req }) => {
      const { label } = req.valid('param')
      const isRemembered = acceptsRemembered(req.header('cache-control'))
      const read = () => readEvidence(options, label)
      return sendJson(await (isRemembered ? remember(`${label} ${routing.current().epoch}`, read) : read()))
    },
  )
}
