import { CoreError } from '../core-error.ts'
import type { RegisterRoutes } from '../create-app.ts'
import { type Queryable, requireRow } from '../database.ts'
import { readBody } from '../input.ts'
import { findStructuralIssues } from '../split-sheet-balance.ts'
import { SplitSheet } from '../split-sheet-input.ts'
import { requireOwnedTrackId, rethrowAsTrackNotFound } from '../track-scope.ts'

interface SheetRow extends SplitSheet {
  readonly trackId: string
  readonly validatedAt: Date | null
  readonly createdAt: Date | null
  readonly updatedAt: Date | null
}

const columns = (sql: Queryable) => sql`
  track_id, address, intended_use, master, writers, publishers, validated_at, created_at, updated_at`

const emptySheet = {
  address: '',
  intendedUse: '',
  master: [],
  writers: [],
  publishers: [],
  validatedAt: null,
  createdAt: null,
  updatedAt: null,
}

// There is no register of collaborators, so these fields are always null.
const unknownParty = { name: null, pro: null, ipi: null }

/** Returns a sheet's response body. Stored sheets are balanced, so only the two texts can be missing. */
const toResponse = ({ trackId, validatedAt, createdAt, updatedAt, ...sheet }: SheetRow) => ({
  trackId,
  address: sheet.address,
  intendedUse: sheet.intendedUse,
  master: sheet.master.map((entry) => ({ ...entry, role: null, ...unknownParty })),
  writers: sheet.writers.map((entry) => ({ ...entry, role: null, ...unknownParty })),
  publishers: sheet.publishers.map((publisher) => ({
    ...publisher,
    ...unknownParty,
    subPublishers: publisher.subPublishers.map((sub) => ({ ...sub, ...unknownParty })),
  })),
  status: {
    isComplete: sheet.master.length > 0 && sheet.address !== '' && sheet.intendedUse !== '',
    validationErrors: [],
    validatedAt,
  },
  createdAt,
  updatedAt,
})

export const findSplitSheet = async (sql: Queryable, trackId: string) => {
  const [row] = await sql<SheetRow[]>`select ${columns(sql)} from split_sheets where track_id = ${trackId}`
  return row ? toResponse(row) : null
}

export const splitSheet: RegisterRoutes = (app, { sql }) => {
  // The deprecated rights resource is always empty. The split sheet replaces it.
  app.get('/v1/tracks/:trackId/rights', async () => ({
    entries: [],
    status: { isComplete: false, validationErrors: [], validatedAt: new Date() },
  }))

  app.get('/v1/tracks/:trackId/split-sheet', async (request) => {
    const trackId = requireOwnedTrackId(request)
    return (await findSplitSheet(sql, trackId)) ?? toResponse({ trackId, ...emptySheet })
  })

  app.put('/v1/tracks/:trackId/split-sheet', async (request) => {
    const sheet = readBody(request, SplitSheet)
    const issues = findStructuralIssues(sheet)
    if (issues.length > 0) throw new CoreError('split_sheet_structural_validation_failed', { issues })
    const values = {
      trackId: requireOwnedTrackId(request),
      address: sheet.address,
      intendedUse: sheet.intendedUse,
      master: sql.json(sheet.master),
      writers: sql.json(sheet.writers),
      publishers: sql.json(sheet.publishers),
      validatedAt: new Date(),
    }
    const row = requireRow(
      await sql<SheetRow[]>`
        insert into split_sheets ${sql(values)}
        on conflict (track_id) do update set ${sql(values)}, updated_at = now()
        returning ${columns(sql)}`.catch(rethrowAsTrackNotFound),
    )
    return toResponse(row)
  })
}
