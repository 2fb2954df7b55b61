-- By days; each day has some items of every user.
CREATE MACRO order_of(u, place) AS ((u * 7 + place) % 30, u);
