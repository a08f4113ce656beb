interface Issue {
  readonly path: string
  readonly message: string
}

/** Every code the core answers with, and its status. */
const statuses = {
  bad_request: 400,
  invalid_json: 400,
  validation_failed: 400,
  unauthorized: 401,
  forbidden: 403,
  entitlement_required: 403,
  library_not_found: 404,
  library_share_not_found: 404,
  pack_link_not_found: 404,
  pack_not_found: 404,
  route_not_found: 404,
  track_not_found: 404,
  method_not_allowed: 405,
  library_name_conflict: 409,
  library_share_conflict: 409,
  library_share_not_active: 409,
  slug_conflict: 409,
  track_set_mismatch: 409,
  body_too_large: 413,
  internal_error: 500,
  authentication_unavailable: 503,
} as const

/** An answer that is not a success, thrown from wherever it is found out. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(code: keyof typeof statuses, fields: Readonly<Record<string, unknown>> = {}) {
    super(code)
    this.status = statuses[code]
    this.body = { error: code, ...fields }
  }
}

export const invalid = (issues: readonly Issue[]) => new Refusal('validation_failed', { issues })
