/**
 * `Given` if it has each key of `Columns`, optional ones included, and no others; otherwise no value has this type.
 *
 * A field that is added to the input of a route is not a type error where the input is spread or passed on, and drizzle
 * drops what is no column. A query function whose argument has this type does not compile until the field is stored.
 */
export type EveryKeyOf<Columns, Given extends Columns> = Given &
  Readonly<Record<Exclude<keyof Columns, keyof Given>, never>> & {
    readonly [Key in Exclude<keyof Given, keyof Columns>]?: never
  }
