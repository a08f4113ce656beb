import { ApiError, invalid } from '#contracts/errors.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Reader } from '#db/client/connection.ts'
import { listLiveOverrides } from '#db/queries/routing/account-overrides.ts'
import { listLastChanges, listLastSteps, restoreActions } from '#db/queries/routing/route-audit.ts'
import { readSnapshot } from '../control/open-routing-database.ts'
import { readTime } from '../control/read-retirement.ts'
import {
  diffRoutingFile,
  type FileChange,
  type PresentSituation,
  type RoutingFile,
  type StoredSituation,
} from '../model/routing-file.ts'
import { parseAccountOverride } from '../model/stored-state.ts'
import { previewChange } from './changes.ts'
import { readStates } from './describe-instance.ts'
import type { OperatorApiOptions } from './operator-options.ts'
import { readGateObstacle } from './read-gate.ts'

/** The most overrides that can be stored. */
const maxOverrides = 10_000

export const readSituation = async (db: Reader): Promise<StoredSituation> => {
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
    const isRolledBack = (label: Label) =>
      steps.get(label) === 'rollback' ||
      // A restored database lacks the rollback's audit entry. Only `failedEvidenceKey` shows that the rollback
      // happened.
      (steps.get(label) === restoreActions.kept && stored.states.get(label)?.failedEvidenceKey != null)
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

export interface FileRequest {
  readonly who: string
  readonly reason: string
  /** Whether to take steps that the gate does not allow yet. */
  readonly waivesChecks: boolean
}

type Planned =
  | { readonly isLegal: true; readonly sentences: readonly string[]; readonly warnings: readonly string[] }
  | { readonly isLegal: false; readonly sentence: string }

const describeOverride = (change: Exclude<FileChange, { kind: 'state' }>): Planned => {
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
): Promise<Planned> => {
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

export const planRoutingFile = async (
  options: OperatorApiOptions,
  file: RoutingFile,
  request: FileRequest,
) => {
  const present = await readPresent(options, file)
  const { changes, kept, refused, drifted } = diffRoutingFile(file, present)
  requireSane(file, present, changes)
  const legal: (FileChange & Pick<Planned & { isLegal: true }, 'sentences' | 'warnings'>)[] = []
  const illegal = [...refused]
  for (const change of changes) {
    const planned = await planFileChange(options, change, request)
    if (planned.isLegal) legal.push({ ...change, sentences: planned.sentences, warnings: planned.warnings })
    else illegal.push({ scope: change.scope, sentence: planned.sentence })
  }
  return { epoch: present.epoch, changes: legal, kept, refused: illegal, drifted }
}
