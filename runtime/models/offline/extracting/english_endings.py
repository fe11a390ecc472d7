"""What an English clause says is over, or is so again: "we ripped Redis out", "Leipzig is history", "sugar is back"."""

from __future__ import annotations

import re

from .claim import USER, Claim

_DONE = (
    r"^(?:I|my [\w ]+?) (?:have |had |just |finally |also |already |now |all |sadly |recently |decided to"
    r" |had to |am going to )*"
)
_DROPPED = re.compile(
    _DONE + r"(?:(?:ripped|tore|threw|kicked|took|pulled|phased|cut|got|had) (?P<apart>.+?) (?:out|away|off|down)\b.*"
    r"|(?:(?:am |are )?"
    r"(?:removed?|dropped|drop|ditched|ditch|binned|scrapped|axed|retired|decommissioned|uninstalled|deleted"
    r"|abandoned|cancell?ed|sold|sell|gave up(?: on)?|given up(?: on)?|give up|got rid of|quit|stopped(?: using|"
    r" going to| doing| taking| playing)?|shut down|closed|moved off|moved away from|left|pulled out of|dropped out"
    r" of|withdrew from|withdrawn from|backed out of|pulled the plug on|killed(?: off)?|called off|broke off|broken"
    r" off|walked away from|said goodbye to|parted with|let go of|lost|resigned from|unsubscribed from|(?:done"
    r"|through|finished) with|moving off|leaving|selling|dropping|giving up|quitting|cancell?ing"
    r"|(?:finished|worked|had|did) my (?:last|final) (?:shift|day|week|month|class|season|year)"
    r"(?: as an?| as| at| in| with| of)?|used to (?:run"
    r"|work|live|be|have|play|use|drive|own|eat|drink|do|go|study|lead|manage|keep)(?: at| in| for| with| to|"
    r" as)?)) (?P<what>.+))$",
    re.I,
)
_STATE = re.compile(
    r"^(?P<what>.+?) (?:is|are|was|were|has been|have been|got) (?:now |finally |already |sadly |completely"
    r" )*(?:history|gone|out(?: of the window| the window)?|over(?: and done with)?|off(?: the table)?|done|dead"
    r"|uninstalled|decommissioned|retired|no more|cancell?ed|called off|scrapped|a thing of the past|behind (?:me"
    r"|us)|in the past|finished|sold|stolen|closed|broken beyond repair|written off)(?:$|[,;:]| (?:for good|now"
    r"|since|as of|because|so|and|last|this|forever|from|for (?:me|us))\b)",
    re.I,
)
_ENDED = re.compile(
    r"^(?P<what>.+?) (?:has |have |just |finally )*(?:folded|ran out|expired|lapsed|ended|fell through"
    r"|fallen through|closed"
    r" down|shut down|went bust"
    r"|went under|was discontinued|was axed|got axed|was abolished|disbanded|split up)(?:$|[,;:]| )",
    re.I,
)
_BACK = re.compile(
    r"^(?P<what>.+?) (?:is|are) (?:now |officially )*(?:back|allowed|fine|ok|okay)(?: on the menu| in my life| in"
    r" my diet| again)+\b|^I (?:am|have been|have started|started|went back to|am back to) (?:\w+ly )?(?:eating"
    r"|drinking|having|smoking|using) (?P<again>.+?) again\b",
    re.I,
)
_LACK = re.compile(r"\b(?:no|not|never|n't|without|avoids?|allergic|vegan|vegetarian|stopped|quit|gave up)\b", re.I)


_GONE_TO = re.compile(
    r"^(?P<what>.+?) (?:went|has gone|is off|was taken|has been taken) to the (?:scrapyard|scrap heap|breaker's"
    r"|tip|dump|recycling|charity shop|knacker's)\b",
    re.I,
)


def dropped(claim: Claim) -> str:
    """What `claim` says is over; empty where it says so of nothing."""
    text = re.sub(r"^(?:my|our|the) ", "", claim.text, flags=re.I)
    if claim.subject != USER and (found := _ENDED.match(text)):
        return str(found["what"])
    if found := _DROPPED.match(claim.said):
        return found["apart"] or found["what"]
    if claim.subject != USER and (found := _STATE.match(text) or _GONE_TO.match(text)):
        return str(found["what"])
    return ""


def resumed(claim: Claim) -> str:
    """What `claim` says is so again, that was given up: "sugar is back on the menu"."""
    if found := _BACK.match(claim.said) or _BACK.match(claim.text):
        return found["what"] or found["again"] or ""
    return ""


def is_lack(text: str) -> bool:
    """Whether a memory tells what somebody does not do, have or eat."""
    return _LACK.search(text) is not None
