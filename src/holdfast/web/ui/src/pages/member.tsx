// One member: what they hold, what they may, and, on one's own page, the keys to the house.
import { api } from "../api.ts";
import type { Member } from "../model.ts";
import { Badge, Button, Count, Fact, Facts, PageHead, Problem, Roles, Size, Skeleton, Time } from "../parts/basics.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../routes.tsx";
import { may, me } from "../session.ts";
import { spellShares, usual } from "../shares.ts";
import { useTitle } from "../title.ts";
import { PasskeyPanel } from "./member/passkey.tsx";
import { PasswordPanel } from "./member/password.tsx";
import { PointsPanel } from "./member/points.tsx";
import { PreferencesPanel } from "./member/preferences.tsx";
import { RightsPanel } from "./member/rights.tsx";
import { SittingsPanel } from "./member/sittings.tsx";
import { TokensPanel } from "./member/tokens.tsx";
import { TorrentsPanel } from "./member/torrents.tsx";

export type MemberProps = { member: Member; changed: (member: Member) => void };

export function MemberPage({ params }: PageProps) {
  const who = params.who ?? "";
  const view = useResource(`member ${who}`, () => api.member(who), { topics: ["members"] });
  const { data, error } = view;
  useTitle(data?.name);
  if (!data) {
    return (
      <>
        <PageHead title="Member" />
        {error ? (
          <Problem error={error}><Button onClick={() => void view.reload()}>Try again</Button></Problem>
        ) : <Skeleton rows={4} kind="block" />}
      </>
    );
  }
  const own = data.id === me.value?.id;
  const crew = may("operator");
  return (
    <>
      <PageHead title={data.name} note={own ? "This is your own page." : undefined}>
        {!data.enabled && <Badge tone="bad">disabled</Badge>}
        <a class="button" href={`/uploads?uploader=${encodeURIComponent(data.name)}`}>{own ? "Your uploads" : "Their uploads"}</a>
      </PageHead>
      <Problem error={error} />
      <Facts>
        <Fact name="Points"><Count of={data.points} /></Fact>
        <Fact name="Uploaded"><Size of={data.uploaded} /></Fact>
        <Fact name="Downloaded"><Size of={data.downloaded} /></Fact>
        <Fact name="Ratio">{data.downloaded ? (data.uploaded / data.downloaded).toFixed(2) : "—"}</Fact>
        <Fact name="Joined"><Time at={data.joined} /></Fact>
        <Fact name="Last seen"><Time at={data.last_seen} /></Fact>
        <Fact name="Roles"><Roles of={data.roles} /></Fact>
        {!usual(data) && <Fact name="Credited">{spellShares(data)}</Fact>}
        <Fact name="Leeching">{data.may_leech ? "allowed" : "not allowed"}</Fact>
      </Facts>
      {(own || may("moderator")) && <TorrentsPanel member={data} own={own} />}
      <div class="panels">
        {crew && <RightsPanel member={data} changed={view.set} />}
        {(own || crew) && <PasskeyPanel member={data} own={own} />}
        {(own || crew) && data.preferences && <PreferencesPanel member={data} changed={view.set} />}
        {own && <PasswordPanel name={data.name} />}
        {own && <SittingsPanel />}
        {own && <TokensPanel />}
      </div>
      {(own || may("moderator")) && <PointsPanel member={data} />}
    </>
  );
}
