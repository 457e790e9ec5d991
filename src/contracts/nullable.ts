import { Type } from 'typebox';

/** A value that may be null. @param description when it is */
export const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
