import type postgres from 'postgres'

type Row = Readonly<Record<string, unknown>>

/** Ordered so that each row refers only to earlier ones. */
const tables = [
  'tracks',
  'track_versions',
  'media_assets',
  'uploads',
  'track_lyrics',
  'track_tags',
  'processing_lanes',
  'split_sheets',
  'track_share_links',
  'split_sheet_links',
  'packs',
  'pack_tracks',
  'pack_links',
  'pack_invitations',
  'libraries',
  'library_tracks',
  'library_shares',
  'engagement_events',
] as const

type CatalogTable = (typeof tables)[number]

/**
 * The rows of a catalogue. Each table's rows are inserted with one statement, so all of them must have the same
 * columns.
 */
export class CatalogRows {
  readonly #rows = new Map<CatalogTable, Row[]>()
  /** Each track's current version, which is set once the rows of the track and the version are inserted. */
  readonly #currentVersions: Row[] = []
  #ids = 0
  readonly prefix: string

  constructor(prefix: string) {
    this.prefix = prefix
  }

  nextId(kind: string) {
    this.#ids += 1
    return `${this.prefix}_${kind}_${this.#ids}`
  }

  add(table: CatalogTable, row: Row) {
    const rows = this.#rows.get(table) ?? []
    rows.push(row)
    this.#rows.set(table, rows)
  }

  count(table: CatalogTable) {
    return this.#rows.get(table)?.length ?? 0
  }

  setCurrentVersion(trackId: string, versionId: string, versionNumber: number) {
    this.#currentVersions.push({ track_id: trackId, version_id: versionId, version_number: versionNumber })
  }

  async insert(sql: postgres.Sql) {
    await sql.begin(async (tx) => {
      for (const table of tables) {
        await this.#insertTable(tx, table)
        if (table === 'track_versions') await this.#setVersions(tx)
      }
    })
    await sql`analyze`
  }

  async #insertTable(tx: postgres.TransactionSql, table: CatalogTable) {
    const rows = this.#rows.get(table)
    if (!rows) return
    const columns = Object.keys(rows[0]!)
    await tx`
      insert into ${tx(table)} (${tx(columns)})
      select ${tx(columns)} from jsonb_populate_recordset(null::${tx(table)}, ${JSON.stringify(rows)}::text::jsonb)`
  }

  async #setVersions(tx: postgres.TransactionSql) {
    await tx`
      update tracks set current_version_id = version_id, last_version_number = version_number
      from jsonb_to_recordset(${JSON.stringify(this.#currentVersions)}::text::jsonb)
        as current (track_id text, version_id text, version_number int)
      where tracks.id = track_id`
  }
}
