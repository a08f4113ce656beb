interface Issue {
  readonly path: string
  readonly message: string
}

const statuses = {
  bad_request: 400,
  invalid_json: 400,
  validation_failed: 400,
  unauthorized: 401,
  access_code_required: 403,
  downloads_disabled: 403,
  entitlement_required: 403,
  forbidden: 403,
  asset_not_found: 404,
  library_not_found: 404,
  library_share_not_found: 404,
  pack_link_not_found: 404,
  pack_not_found: 404,
  peaks_not_found: 404,
  playback_not_found: 404,
  route_not_found: 404,
  share_link_not_found: 404,
  split_sheet_link_not_found: 404,
  split_sheet_not_found: 404,
  track_link_unavailable: 404,
  track_not_found: 404,
  track_resource_not_found: 404,
  upload_not_found: 404,
  version_not_found: 404,
  method_not_allowed: 405,
  billing_bad_input: 409,
  library_name_conflict: 409,
  library_share_conflict: 409,
  library_share_not_active: 409,
  original_version_cannot_be_deleted: 409,
  quota_exceeded: 409,
  share_link_not_active: 409,
  slug_conflict: 409,
  track_set_mismatch: 409,
  upload_content_type_mismatch: 409,
  upload_expired: 409,
  upload_object_missing: 409,
  upload_size_mismatch: 409,
  version_not_ready: 409,
  body_too_large: 413,
  split_sheet_structural_validation_failed: 422,
  analytics_rate_limited: 429,
  internal_error: 500,
  authentication_unavailable: 503,
  billing_configuration_error: 503,
  billing_provider_unavailable: 503,
  media_intelligence_unavailable: 503,
} as const

export type CoreErrorCode = keyof typeof statuses

/** An error response of the core: `{ error: code, ...fields }`. */
export class CoreError extends Error {
  override readonly name = 'CoreError'
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: CoreErrorCode,
    fields: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
    status: number = statuses[code],
  ) {
    super(code)
    this.status = status
    this.body = { error: code, ...fields }
    // RFC 9110, section 11.6.1: a 401 response must contain a challenge.
    this.headers = code === 'unauthorized' ? { 'www-authenticate': 'Bearer', ...headers } : headers
  }
}

export const invalid = (issues: readonly Issue[]) => new CoreError('validation_failed', { issues })
