import type { Label } from '#contracts/route-table.ts'
import { isLabel } from '#contracts/shared/row.ts'
import type { Database } from '#db/client/connection.ts'
import {
  addMismatches,
  type FoundMismatch,
  findTransactionStatus,
  mismatchLimits,
  readTransactionId,
  severeClasses,
} from '#db/queries/evidence/mismatches.ts'
import type { Difference } from '../../diff/verdict.ts'

export interface RecordedMismatch {
  readonly label: Label
  readonly evidenceKey: string
  /** The difference, with its values already masked. */
  readonly difference: Difference
  readonly requestId: string
}

/** A write in progress. It adds to stored counts, so it must not be repeated if it was committed. */
interface PendingWrite {
  readonly rows: readonly FoundMismatch[]
  transactionId: string | null
}

const maxMismatches = 1000
const maxPathLength = 200
const maxExampleLength = 100

const fieldName = /^(?:[A-Za-z_][\w-]{0,39}|\*)$/

const hideSegment = (segment: string) => (fieldName.test(segment) ? segment : '?')

// Hides keys that do not look like field names, because some of the core's objects use data as keys. In a comparison
// after a write, the path starts with the read's label.
const hideKeys = (path: string) => {
  const [read = '', ...rest] = path.split(' ')
  const hasRead = rest.length > 0 && isLabel(read)
  const hidden = (hasRead ? rest.join(' ') : path).split('.').map(hideSegment).join('.')
  return (hasRead ? `${read} ${hidden}` : hidden).slice(0, maxPathLength)
}

const toFound = ({ label, evidenceKey, difference, requestId }: RecordedMismatch): FoundMismatch => {
  const { signature, kind, path, class: differenceClass, blame, example } = difference
  return {
    label,
    signature,
    evidenceKey,
    kind,
    path: hideKeys(path),
    class: differenceClass,
    blame,
    exampleNative: example.native?.slice(0, maxExampleLength) ?? null,
    exampleCore: example.core?.slice(0, maxExampleLength) ?? null,
    count: 1,
    requestIds: [requestId],
  }
}

const severityOf = (found: FoundMismatch) => severeClasses.indexOf(found.class)

const addOccurrence = (known: FoundMismatch, added: FoundMismatch): FoundMismatch => ({
  ...(severityOf(added) > severityOf(known) ? added : known),
  count: known.count + added.count,
  requestIds: [...added.requestIds, ...known.requestIds].slice(0, mismatchLimits.requestIds),
})

/** Collects differences until they are written: at most 200 per route and 1,000 in total. The rest are dropped. */
export const createMismatchBuffer = () => {
  let found = new Map<string, FoundMismatch>()
  let perLabel = new Map<Label, number>()
  let pending: PendingWrite | null = null

  const hasBeenWritten = async (db: Database['db'], { transactionId }: PendingWrite) => {
    if (transactionId === null) return false
    const status = await findTransactionStatus(db, transactionId)
    if (status === 'in progress') throw new Error('the previous write of mismatches has not ended')
    return status === 'committed'
  }

  const save = async (db: Database['db'], write: PendingWrite) => {
    if (await hasBeenWritten(db, write)) return
    await db.transaction(async (tx) => {
      write.transactionId = await readTransactionId(tx)
      await addMismatches(tx, write.rows)
    })
  }

  return {
    record(mismatch: RecordedMismatch) {
      const { label, evidenceKey, difference } = mismatch
      const id = `${label} ${difference.signature} ${evidenceKey}`
      const known = found.get(id)
      if (known) {
        found.set(id, addOccurrence(known, toFound(mismatch)))
        return
      }
      const ofLabel = perLabel.get(label) ?? 0
      if (ofLabel >= mismatchLimits.perLabel || found.size >= maxMismatches) return
      perLabel.set(label, ofLabel + 1)
      found.set(id, toFound(mismatch))
    },

    /** If this fails, it rejects and the next call tries again, unless the write turns out to have been committed. */
    async write(db: Database['db']) {
      if (pending) await save(db, pending)
      pending = null
      if (found.size === 0) return
      pending = { rows: [...found.values()], transactionId: null }
      found = new Map()
      perLabel = new Map()
      await save(db, pending)
      pending = null
    },
  }
}
