import * as z from 'zod'
import { ApiError, invalid } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { listLiveOverrides } from '#db/queries/routing/account-overrides.ts'
import { listLastChanges, listLastSteps, restoreActions } from '#db/queries/routing/route-audit.ts'
import { applyFileChanges, createRefusal } from '../control/apply-file-changes.ts'
import { readSnapshot } from '../control/open-routing-database.ts'
import { readTime } from '../control/read-retirement.ts'
import {
  diffRoutingFile,
  type FileChange,
  type PresentSituation,
  type RoutingFile,
  type StoredSituation,
  writeRoutingFile,
} from '../model/routing-file.ts'
import { parseAccountOverride } from '../model/stored-state.ts'
import { previewChange } from './changes.ts'
import { readStates } from './describe-instance.ts'
import { respondAdopted } from './instances.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { parseRoutingFile } from './parse-routing-file.ts'
import { readGateObstacle } from './read-gate.ts'
import { Reason, sendJson, validate } from './requests.ts'

const PlanRequest = z.strictObject({ file: z.unknown(), waivesChecks: z.boolean().default(false) })

const ApplyRequest = PlanRequest.extend({ reason: Reason })

/** The most overrides that can be stored. */
const maxOverrides = 10_000

const readSituation = async (db: Reader): Promise<StoredSituation> => {
  const { epoch, states, unreadable } = await readStates(db)
  const overrides = await listLiveOverrides(db, null, maxOverrides)
  return {
    epoch,
    states,
    unreadable,
    overrides: overrides.flatMap((row) => parseAccountOverride(row) ?? []),
  }
}

const readPresent = (
  { database, settings, guard, now }: OperatorApiOptions,
  file: RoutingFile,
): Promise<PresentSituation> =>
  readSnapshot(database.db, async (tx) => {
    const stored = await readSituation(tx)
    const changes = await listLastChanges(tx, file.epoch)
    const steps = new Map((await listLastSteps(tx)).map(({ scope, action }) => [scope, action]))
    // A restored database lacks the rollback's audit entry. Only `failedEvidenceKey`, or that native serves nobody, shows
    // that the rollback happened.
    const wasKept = (label: Label) => {
      const state = stored.states.get(label)
      return state !== undefined && (state.failedEvidenceKey !== null || state.weightBp === 0)
    }
    const isRolledBack = (label: Label) =>
      steps.get(label) === 'rollback' || (steps.get(label) === restoreActions.kept && wasKept(label))
    const selectChanges = (ofOverrides: boolean) =>
      new Map(changes.flatMap((row) => (row.isOfOverride === ofOverrides ? [[row.scope, row]] : [])))
    return {
      ...stored,
      configuredKills: settings.GATEWAY_KILL,
      isStopped: (label) => isRolledBack(label) || guard.isStopped(label),
      changesSince: { states: selectChanges(false), overrides: selectChanges(true) },
      now: await readTime(tx, now),
    }
  })

interface FileRequest {
  readonly who: string
  readonly reason: string
  readonly waivesChecks: boolean
}

type PlannedFileChange =
  | { readonly isLegal: true; readonly sentences: readonly string[]; readonly warnings: readonly string[] }
  | { readonly isLegal: false; readonly sentence: string }

const describeOverride = (change: Exclude<FileChange, { kind: 'state' }>): PlannedFileChange => {
  const { accountId, scope } = change
  const sentence =
    change.kind === 'override'
      ? `An override for ${accountId} on ${scope} selects ${change.side} until ${change.until ?? 'it is removed'}.`
      : `${accountId} no longer has an override on ${scope}.`
  return { isLegal: true, sentences: [sentence], warnings: [] }
}

const planFileChange = async (
  options: OperatorApiOptions,
  planned: FileChange,
  { who, reason, waivesChecks }: FileRequest,
): Promise<PlannedFileChange> => {
  if (planned.kind !== 'state') return describeOverride(planned)
  const { scope, change } = planned
  const requested = { scope, change, who, reason }
  const preview = await previewChange(options, requested)
  if (!preview.isLegal) return { isLegal: false, sentence: `${preview.reason}.` }
  const obstacle = waivesChecks ? null : await readGateObstacle(options, requested)
  return obstacle === null
    ? { isLegal: true, sentences: preview.sentences, warnings: preview.warnings }
    : { isLegal: false, sentence: `${scope}: ${obstacle}. --waive-checks takes the step anyway.` }
}

// Limited, because every other change, even a kill, waits while a file is applied.
const maxChanges = 200

const requireSane = ({ epoch }: RoutingFile, present: PresentSituation, changes: readonly FileChange[]) => {
  if (epoch > present.epoch)
    throw invalid('epoch', `is ${epoch}, but the newest epoch is ${present.epoch}: export from this database`)
  if (changes.length > maxChanges)
    throw new ApiError('route_change_illegal', {
      message: `The file makes ${changes.length} changes. Apply at most ${maxChanges} at once: while they are applied, even a kill has to wait.`,
    })
}

const planRoutingFile = async (options: OperatorApiOptions, file: RoutingFile, request: FileRequest) => {
  const present = await readPresent(options, file)
  const { changes, kept, refused, drifted } = diffRoutingFile(file, present)
  requireSane(file, present, changes)
  const legal: (FileChange & Pick<PlannedFileChange & { isLegal: true }, 'sentences' | 'warnings'>)[] = []
  const illegal = [...refused]
  for (const change of changes) {
    const planned = await planFileChange(options, change, request)
    if (planned.isLegal) legal.push({ ...change, sentences: planned.sentences, warnings: planned.warnings })
    else illegal.push({ scope: change.scope, sentence: planned.sentence })
  }
  return { epoch: present.epoch, changes: legal, kept, refused: illegal, drifted }
}

// An attempt takes well under a second, and nobody changes routing five times in a few seconds.
const maxAttempts = 5

const applyFile = async (options: OperatorApiOptions, file: RoutingFile, request: FileRequest) => {
  const { database, evidenceKeys, now } = options
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const plan = await planRoutingFile(options, file, request)
    if (plan.refused.length > 0) throw createRefusal(plan.refused.map(({ sentence }) => sentence))
    if (plan.changes.length === 0) return plan
    const epoch = await database.db.transaction((tx) =>
      applyFileChanges(tx, { ...plan, ...request }, evidenceKeys, now),
    )
    if (epoch !== null) return { ...plan, epoch }
  }
  throw new ApiError('route_change_illegal', {
    message: 'Nothing was changed, because the routing kept changing in the meantime. Try again.',
  })
}

export const mountRoutingFile = (app: OperatorApp, options: OperatorApiOptions): void => {
  const { database, log } = options

  app.get('/api/routing-file', requireRole('read'), async () =>
    sendJson(writeRoutingFile(await readSituation(database.reader))),
  )

  app.post(
    '/api/routing-file/preview',
    requireRole('read'),
    validate('json', PlanRequest),
    async ({ req, get }) => {
      const { file, waivesChecks } = req.valid('json')
      const request = { who: get('operator').name, reason: '', waivesChecks }
      return sendJson(await planRoutingFile(options, parseRoutingFile(file), request))
    },
  )

  app.post(
    '/api/routing-file',
    requireRole('change'),
    validate('json', ApplyRequest),
    async ({ req, get }) => {
      const { file, ...given } = req.valid('json')
      const { name: who } = get('operator')
      const applied = await applyFile(options, parseRoutingFile(file), { ...given, who })
      const { changes, epoch } = applied
      for (const change of changes) {
        const { scope } = change
        if (change.kind === 'state')
          log.info({ scope, operator: who, change: change.change.kind, epoch }, 'route state changed')
        else if (change.kind === 'override')
          log.info({ scope, operator: who, side: change.side, epoch }, 'account override stored')
        else log.info({ scope, operator: who, epoch }, 'account override removed')
      }
      return changes.length === 0
        ? sendJson({ ...applied, adoption: null })
        : respondAdopted(options, epoch, applied)
    },
  )
}
