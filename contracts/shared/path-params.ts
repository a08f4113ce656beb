/** The parameters of a path template: `/v1/tracks/:trackId/tags` has `{ trackId: string }`. */
export type PathParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? PathParams<Head> & PathParams<Tail>
  : Path extends `:${infer Name}`
    ? { readonly [K in Name]: string }
    : unknown
